import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type Running, runProgram, startProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, onTestFinished, test } from 'vitest';
import { homeOf } from '../../src/command/open-role.ts';
import { domainOf, signerOf, signSubmission } from '../../src/evm/index.ts';
import { openNamespace, Window } from '../../src/index.ts';

const main = fileURLToPath(new URL('../../src/command/main.ts', import.meta.url));
const contract = `0x${'1'.repeat(40)}`;
const chainId = 31_337;
const [market, privateKey, slotKey] = ['prices', '7'.repeat(64), '8'.repeat(64)];

interface Place {
  readonly file: string;
  readonly folder: string;
  readonly section: { readonly protocol: string; readonly market: string; readonly name: string };
}

/** The files of a validator, whose node of the chain does not answer. */
async function place(changes: (toml: string) => string = (toml) => toml): Promise<Place> {
  const folder = scratchFolder();
  const protocol = `test-${randomUUID().slice(0, 8)}`;
  writeFileSync(join(folder, 'redis-url'), inject('redisUrl'));
  writeFileSync(join(folder, 'key'), `0x${privateKey}\n`);
  writeFileSync(join(folder, 'slots'), `${signerOf(slotKey).address}\n`);
  const toml = `
[mempool]
backend = "redis"
url_file = "redis-url"

[server]
port = 0

[sequencer]
protocol = "${protocol}"
market = "${market}"
key_file = "key"
slots_file = "slots"
rpc = "http://127.0.0.1:1"
contract = "${contract}"
chain_id = ${chainId}
gossip_port = ${await freePort()}
`;
  writeFileSync(join(folder, 'config.toml'), changes(toml));
  return { folder, file: join(folder, 'config.toml'), section: { protocol, market, name: 'validator' } };
}

function start(role: string, file: string): Running {
  const running = startProgram([main, role, file]);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  return running;
}

/** The first line of the log with this message. */
async function said({ child }: Running, message: string): Promise<Readonly<Record<string, unknown>>> {
  let text = '';
  for (;;) {
    const line = text.split('\n').find((each) => each.includes(`"msg":"${message}"`) && each.endsWith('}'));
    if (line !== undefined) return JSON.parse(line);
    const [chunk] = await once(child.stderr as NonNullable<typeof child.stderr>, 'data');
    text += String(chunk);
  }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a dequeuer says that it works, serves its probes, and ends well at %s',
  async (signal) => {
    const { file } = await place();
    const running = start('dequeuer', file);
    const { url, role, level } = await said(running, 'working');
    expect([role, level]).toEqual(['dequeuer', 'info']);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^mempool_sequencer_clock_offset_seconds -?0/m);
    expect((await fetch(`${url}/api/v1/pool`)).status).toBe(404);
    running.child.kill(signal);
    const { code, stderr } = await running.ended;
    expect([code, stderr.includes('    at ')]).toEqual([0, false]);
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
    expect(stderr).not.toContain(privateKey);
  },
);

test('the processes of a validator take a submission and count it', async () => {
  const { file, section } = await place();
  await using namespace = await openNamespace(homeOf({ section, url: inject('redisUrl') }));
  const gateway = start('gateway', file);
  for (const role of ['dequeuer', 'finalizer', 'aggregator']) start(role, file);
  const { url } = await said(gateway, 'working');
  const post = async (body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/submissions`, { method: 'POST', body: JSON.stringify(body), headers });
    return [answer.status, ((await answer.json()) as { kind?: string }).kind];
  };
  const epoch = await new Window(namespace).open({ epoch: 1, closesAt: Date.now() + 60_000, validators: ['v'] });
  const vote = { epoch: 1, slot: 1, project: 'btc', cid: 'bafy1' };
  const domain = domainOf({ chainId, contract, name: `${section.protocol}:${market}` });
  const signature = signSubmission(vote, { domain, privateKey: slotKey });
  expect(await post({ ...vote, signature, cid: 'bafy2' })).toEqual([403, 'bad-signature']);
  await expect.poll(() => post({ ...vote, signature })).toEqual([202, 'received']);
  expect(await post({ ...vote, signature })).toEqual([200, 'duplicate']);
  const acknowledged = () => namespace.withEpoch(epoch, async (pool) => (await pool.usage()).acknowledged);
  await expect.poll(acknowledged).toBe(1);
});

test('without a chain the monitor leads, and ends well', async () => {
  const { file } = await place();
  const monitor = start('monitor', file);
  await said(monitor, 'leads');
  monitor.child.kill('SIGTERM');
  expect((await monitor.ended).code).toBe(0);
});

test.each([
  ['an unknown field', (toml: string) => `${toml}\nslot = 1\n`, 'sequencer.slot is not a known field'],
  ['a wrong value', (toml: string) => toml.replace(/chain_id = .*/, 'chain_id = "one"'), 'sequencer.chain_id must be'],
  ['no contract', (toml: string) => toml.replace(/contract = .*/, ''), 'sequencer.contract is missing'],
  ['a missing key file', (toml: string) => toml.replace('"key"', '"gone"'), 'sequencer.key_file names a file'],
  [
    'a slot that is no address',
    (toml: string) => toml.replace('slots_file = "slots"', 'slots = ["0x1"]'),
    'sequencer.slots',
  ],
  [
    'another backend',
    (toml: string) => toml.replace('"redis"\nurl_file = "redis-url"', '"ephemeral"'),
    'mempool.backend',
  ],
  ['no section', (toml: string) => toml.replace(/\[sequencer\][\s\S]*/, ''), 'sequencer is missing'],
])('with %s it ends with 2 and the name of the field', async (_, changes, words) => {
  const { file } = await place(changes);
  const { code, stderr, stdout } = await runProgram([main, 'dequeuer', file]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^mempool-sequencer: [^\n]+\n$/);
  expect(stderr).toContain(words);
});

test('wrong arguments end with 2, and a store that is away with 75', async () => {
  for (const args of [[], ['cook', 'a.toml'], ['gateway'], ['gateway', 'a.toml', '--port', 'x']]) {
    const { code, stderr } = await runProgram([main, ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('usage: mempool-sequencer <gateway|')]);
  }
  const { file, folder } = await place();
  writeFileSync(join(folder, 'redis-url'), 'redis://127.0.0.1:1');
  const { code, stderr } = await runProgram([main, 'dequeuer', file]);
  expect([code, stderr]).toEqual([75, expect.stringMatching(/^mempool-sequencer: [^\n]+\n$/)]);
});

test('prints the JSON Schema of the configuration', async () => {
  const { code, stdout } = await runProgram([main, 'schema']);
  const { properties } = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(properties.sequencer.properties).toMatchObject({ key_file: {}, chain_id: { type: 'integer' }, peers: {} });
});
