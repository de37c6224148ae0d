import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadServerConfig, type RunningServer, type Scope, startServer } from 'mempool-server';
import { freePort } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { fillPool } from './fill-pool.ts';
import { jsonLines, type Ran, run } from './run-in-process.ts';

function configFile(folder: string, fields: object): string {
  const config = join(folder, 'pool.json');
  const mempool = {
    backend: 'sqlite',
    path: join(folder, 'pool.sqlite'),
    sweepEveryMs: 'never',
    ...fields,
  };
  writeFileSync(config, JSON.stringify({ mempool, server: { port: 0 } }));
  return config;
}

async function serve(config: string, server: object = {}): Promise<RunningServer> {
  const running = await startServer(await loadServerConfig(config, { server }));
  onTestFinished(() => running.close());
  return running;
}

const hash = (n: number): string => n.toString(16).padStart(64, '0');

test.for(['fifo', 'priority'] as const)(
  'every command on a %s pool says the same of a store and of its server',
  async (ordering) => {
    const folder = scratchFolder();
    const config = configFile(folder, { ordering, ...(ordering === 'priority' ? { maxPerSender: 'unlimited' } : {}) });
    const flat = join(folder, 'fill.json');
    writeFileSync(flat, JSON.stringify({ backend: 'sqlite', path: join(folder, 'pool.sqlite'), ordering }));
    await fillPool(flat, 1_000);
    const { url } = await serve(config);
    const reads: readonly (readonly string[])[] = [
      ['usage'],
      ['tip', '--points', '3'],
      ['limits', 'get'],
      ...['pending', 'parked', 'inflight', 'final', 'best'].map((list) => ['ls', list, '--limit', '0']),
      ...[0, 1, 2, 3, 4, 5, 6].map((n) => ['status', hash(n)]),
      ['status', hash(2 ** 30)],
      ['status', hash(2), '--wait', 'Confirmed', '--timeout', '5s'],
      ['status', hash(5), '--wait', 'Finalized', '--timeout', '5s'],
      ['status', hash(7), '--wait', 'Finalized', '--timeout', '10ms'],
      ['status', hash(2 ** 30), '--wait', 'Confirmed', '--timeout', '10ms'],
    ];
    for (const read of reads) {
      const store = await run(['-c', config, '--json', ...read]);
      const server = await run(['--url', url, '--json', ...read]);
      expect([read, server.code, jsonLines(server.out)]).toEqual([read, store.code, jsonLines(store.out)]);
    }
    const examined = await run(['--url', url, '--json', 'doctor']);
    expect([
      examined.code,
      (jsonLines(examined.out) as { state: string }[]).every(({ state }) => state === 'ok'),
    ]).toEqual([0, true]);
    const pairs: readonly (readonly [store: readonly string[], server: readonly string[]])[] = [
      [
        ['submit', 'aa01'],
        ['submit', 'aa02'],
      ],
      [
        ['submit', 'aa01'],
        ['submit', 'aa01'],
      ],
      [
        ['submit', 'bb01', '--hash', 'b0b1', '--type', '7'],
        ['submit', 'bb02', '--hash', 'b0b2', '--type', '7'],
      ],
      [
        ['drop', hash(6), '--yes', '--reason', 'invalid'],
        ['drop', hash(16), '--yes', '--reason', 'of no use'],
      ],
      [
        ['drop', hash(6), '--yes'],
        ['drop', hash(16), '--yes'],
      ],
      [
        ['drop', hash(2 ** 30), '--yes'],
        ['drop', hash(2 ** 30), '--yes'],
      ],
      [
        ['complete', hash(21), '--yes'],
        ['complete', hash(31), '--yes'],
      ],
      [
        ['release', hash(1), '--yes'],
        ['release', hash(11), '--yes', '--hold', '1h'],
      ],
      [
        ['release', hash(2 ** 30), '--yes'],
        ['release', hash(2 ** 30), '--yes'],
      ],
      [
        ['rollback', '--yes', '--to', `1:${hash(7)}`],
        ['rollback', '--yes', '--to', `1:${hash(7)}`],
      ],
      [
        ['limits', 'set', 'max_txs=5000'],
        ['limits', 'set', 'maxTxs=5000'],
      ],
      [
        ['limits', 'set', 'max_txs=unlimited'],
        ['limits', 'set', 'maxTxs=unlimited'],
      ],
      [
        ['rollback', '--yes', '--to', `2:${hash(2 ** 40 + 2)}`],
        ['rollback', '--yes', '--to', 'origin'],
      ],
    ];
    const codes: number[] = [];
    for (const [onStore, onServer] of pairs) {
      const store = await run(['-c', config, '--json', ...onStore]);
      const server = await run(['--url', url, '--json', ...onServer]);
      expect([onServer, server.code, shape(server)]).toEqual([onServer, store.code, shape(store)]);
      codes.push(server.code);
    }
    expect(codes).toEqual([0, 0, 0, 0, 4, 3, 0, 0, 3, 3, 0, 0, 0]);
  },
);

/** The names in the answers, whose values differ: each side has transactions of its own. */
function shape({ out }: Ran): unknown {
  return jsonLines(out).map((line) => Object.keys(line as object).sort());
}

test('watch on a server resumes after the server was restarted: nothing is missing, nothing twice', async () => {
  const folder = scratchFolder();
  const config = configFile(folder, {});
  const port = await freePort();
  let server = await serve(config, { port });
  const stop = new AbortController();
  const seen: { readonly hash: string; readonly cursor: string }[] = [];
  const watching = run(['--url', server.url, '--json', 'watch', '--after', 'origin'], {
    signal: stop.signal,
    onOutput: (text) => seen.push(...(jsonLines(text) as typeof seen)),
  });
  const submit = (n: number): Promise<unknown> => server.pool.submit({ hash: hash(n), payload: Buffer.from([n]) });
  for (let round = 0; round < 3; round += 1) {
    await submit(2 * round);
    await expect.poll(() => seen.length).toBe(2 * round + 1);
    await server.close();

    server = await serve(config, { port });
    await submit(2 * round + 1);
    await expect.poll(() => seen.length).toBe(2 * round + 2);
  }
  stop.abort();
  expect((await watching).code).toBe(0);
  expect(seen.map((event) => event.hash)).toEqual([0, 1, 2, 3, 4, 5].map(hash));
  const resumed = new AbortController();
  const rest = run(['--url', server.url, '--json', 'watch', '--after', seen[3]?.cursor ?? '', hash(5)], {
    signal: resumed.signal,
    onOutput: () => resumed.abort(),
  });
  await expect.poll(() => resumed.signal.aborted).toBe(true);
  expect(jsonLines((await rest).out)).toMatchObject([{ hash: hash(5), stage: 'Pending' }]);
});

/** Resolves when one client reads events of the server. */
async function watched({ url }: RunningServer): Promise<void> {
  const clients = async () => /^mempool_sse_clients \d+$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[0];
  await expect.poll(clients).toBe('mempool_sse_clients 1');
}

test('watch resumes after a connection that was lost before the first event', async () => {
  const config = configFile(scratchFolder(), {});
  const port = await freePort();
  const submit = ({ pool }: RunningServer, n: number) => pool.submit({ hash: hash(n), payload: Buffer.from([n]) });
  const first = await serve(config, { port });
  await submit(first, 0);
  const stop = new AbortController();
  const watching = run(['--url', first.url, '--json', 'watch'], {
    signal: stop.signal,
    onOutput: (text) => void (text.includes(hash(2)) && stop.abort()),
  });
  await watched(first);
  await first.close();
  // Nobody listens where the watcher looks.
  const elsewhere = await serve(config, { port: 0 });
  await submit(elsewhere, 1);
  await elsewhere.close();
  const second = await serve(config, { port });
  await watched(second);
  await submit(second, 2);
  await expect.poll(() => stop.signal.aborted).toBe(true);
  expect(jsonLines((await watching).out)).toMatchObject([{ hash: hash(1) }, { hash: hash(2) }]);
});

test('watch of one transaction resumes after the last event that it was shown or not: none of its own is called lost', async () => {
  const config = configFile(scratchFolder(), { maxEvents: 10 });
  const port = await freePort();
  let count = 0;
  const submitOthers = async ({ pool }: RunningServer): Promise<void> => {
    for (const end = count + 8; count < end; count += 1)
      await pool.submit({ hash: hash(count), payload: Buffer.from([count]) });
  };
  const wanted = hash(99);
  let server = await serve(config, { port });
  const stop = new AbortController();
  const watching = run(['--url', server.url, '--json', 'watch', wanted], {
    signal: stop.signal,
    onOutput: () => stop.abort(),
  });
  for (let round = 0; round < 5; round += 1) {
    await watched(server);
    await submitOthers(server);
    await server.close();
    server = await serve(config, { port });
  }
  await watched(server);
  await server.close();
  const last = await serve(config, { port: 0 });
  await last.pool.submit({ hash: wanted, payload: Buffer.from([99]) });
  await last.close();
  await serve(config, { port });
  await expect.poll(() => stop.signal.aborted).toBe(true);
  expect(jsonLines((await watching).out)).toMatchObject([{ kind: 'transaction', hash: wanted }]);
});

test('a change of several that stops half-way says what was changed before', async () => {
  const config = configFile(scratchFolder(), {});
  const { url, pool } = await serve(config, { ratePerSecond: 1 });
  const hashes = Array.from({ length: 30 }, (_, n) => hash(n));
  for (const each of hashes) await pool.submit({ hash: each, payload: Buffer.from(each, 'hex') });
  const ran = await run(['--url', url, 'drop', ...hashes, '--yes']);
  const statuses = await pool.status(hashes);
  const dropped = statuses.filter(({ stage }) => stage === 'Dropped').map((each) => each.hash);
  expect([ran.code, ran.out, dropped.length > 0, dropped.length < hashes.length]).toEqual([75, '', true, true]);
  expect(ran.err).toContain(`${dropped.length} were dropped: ${dropped.join(', ')}`);
});

test('what answers otherwise than a mempool server is called that, with an exit code that no script repeats', async () => {
  const answers: readonly (readonly [status: number, type: string, text: string, code: number])[] = [
    [200, 'text/html', '<html>log in first</html>', 1],
    [200, 'application/json', 'null', 1],
    [200, 'application/json', '{"cut', 1],
    [404, 'text/html', 'nothing here', 3],
    [500, 'application/problem+json', '{"cut', 1],
    [409, 'application/problem+json', '7', 4],
  ];
  for (const [status, type, text, code] of answers) {
    const foreign = createServer((_, response) => response.writeHead(status, { 'content-type': type }).end(text));
    await once(foreign.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void foreign.close());
    const { port } = foreign.address() as AddressInfo;
    for (const command of [
      ['usage'],
      ['ls', 'pending'],
      ['watch', '--after', 'origin'],
      ['ledger', 'transfers', 'a'],
    ]) {
      const ran = await run(['--url', `http://127.0.0.1:${port}`, ...command], { signal: AbortSignal.timeout(2_000) });
      expect([text, command, ran.code, ran.out]).toEqual([text, command, code, '']);
      expect(ran.err).toMatch(/^mempool: \S+: answered \d+, not as a mempool server/);
    }
  }
});

test('a refusal of a server is told with its remedy, and no message has the token', async () => {
  const folder = scratchFolder();
  const config = configFile(folder, {});
  const secret = 'a-token-that-nobody-may-see';
  const token = (name: string, text: string, scopes: readonly Scope[]): object => ({
    ...{ name, scopes, hash: `sha256:${createHash('sha256').update(text).digest('hex')}` },
  });
  const { url } = await serve(config, { tokens: [token('reader', secret, ['read'])] });
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${secret}\n`);
  const cases: readonly (readonly [code: number, args: readonly string[], env: Record<string, string>])[] = [
    [4, ['--url', url, 'usage'], {}],
    [0, ['--url', url, 'usage'], { MEMPOOL_TOKEN: secret }],
    [0, ['--token-file', tokenFile, 'usage'], { MEMPOOL_URL: url }],
    [4, ['--url', url, 'submit', '00'], { MEMPOOL_TOKEN: secret }],
    [4, ['--url', url, 'drop', hash(1), '--yes'], { MEMPOOL_TOKEN: secret }],
    [2, ['--url', url, '--token-file', join(folder, 'none'), 'usage'], {}],
    [2, ['--url', `http://user:${secret}@127.0.0.1`, 'usage'], {}],
    [2, ['--url', url, '-c', config, 'usage'], {}],
    [2, ['usage'], { MEMPOOL_URL: url, MEMPOOL_CONFIG: config }],
    [3, ['--url', `${url}/elsewhere`, 'usage'], { MEMPOOL_TOKEN: secret }],
    [75, ['--url', `http://127.0.0.1:${await freePort()}`, 'usage'], { MEMPOOL_TOKEN: secret }],
    [2, ['--url', url, 'export'], { MEMPOOL_TOKEN: secret }],
  ];
  for (const [code, args, env] of cases) {
    const ran = await run(args, { env });
    expect([args, ran.code], ran.err).toEqual([args, code]);
    expect(ran.out + ran.err).not.toContain(secret);
  }
});
