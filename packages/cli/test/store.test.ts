import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { jsonLines, type Ran, run } from './run-in-process.ts';

function sqlitePool(ordering = 'fifo'): { readonly config: string; readonly folder: string } {
  const folder = scratchFolder();
  const config = join(folder, 'pool.toml');
  writeFileSync(
    config,
    `[mempool]\nbackend = "sqlite"\npath = ${JSON.stringify(join(folder, 'pool.sqlite'))}\nordering = "${ordering}"\n`,
  );
  return { config, folder };
}

test('a transaction is submitted from hex, from a file and from standard input, and then found', async () => {
  const { config, folder } = sqlitePool();
  const file = join(folder, 'tx.bin');
  writeFileSync(file, 'bytes');
  const mempool = (...args: string[]): Promise<Ran> => run(['-c', config, '--json', ...args], { input: 'piped' });
  const submitted = await mempool('submit', '0xC0FFEE', file, '-');
  expect([submitted.code, submitted.err]).toEqual([0, '']);
  const hashes = jsonLines(submitted.out).map((outcome) => (outcome as { hash: string }).hash);
  expect(hashes).toHaveLength(3);
  const listed = await mempool('ls', 'pending');
  expect(jsonLines(listed.out)).toMatchObject([
    { hash: hashes[0], bytes: 3 },
    { hash: hashes[1], bytes: 5 },
    { hash: hashes[2], bytes: 5 },
  ]);
  expect(jsonLines((await mempool('usage')).out)).toMatchObject([{ pending: 3 }]);
  expect(jsonLines((await mempool('tip')).out)).toMatchObject([{ point: null, tick: 0 }]);
  expect(jsonLines((await mempool('status', hashes[0] ?? '')).out)).toMatchObject([{ stage: 'Pending', attempts: 0 }]);
});

test('a command that fails says so in one line, and its exit code says how', async () => {
  const { config, folder } = sqlitePool();
  mkdirSync(join(folder, 'abcd'));
  const unknown = 'ab'.repeat(32);
  const before: readonly (readonly [code: number, ...args: string[]])[] = [
    [3, '-c', config, 'usage'],
    [2, 'usage'],
    [2, '-c', join(folder, 'none.toml'), 'usage'],
    [2, '-c', config, 'ls', 'nothing'],
    [2, '-c', config, 'status', 'no hex'],
    [2, '-c', config, 'frobnicate'],
    [2, '-c', config, 'serve', '--port', '65536'],
    [2, '-c', config, 'submit', '00', '01', '--hash', unknown],
    [3, '-c', config, 'submit', 'no-such-file'],
    [2, '-c', config, 'submit', '-'],
  ];
  for (const [code, ...args] of before) {
    const ran = await run(args);
    expect([args, ran.code, ran.out]).toEqual([args, code, '']);
    expect(ran.err.split('\n').filter((line) => !line.startsWith('(--help')).length, ran.err).toBe(2);
    const { err } = await run(['--json', ...args]);
    expect(JSON.parse(err)).toMatchObject({ error: expect.stringContaining(' '), exitCode: code });
  }
  await run(['-c', config, 'submit', '00']);
  const after: readonly (readonly [code: number, ...args: string[]])[] = [
    [3, '-c', config, 'status', unknown],
    [4, '-c', config, 'ls', 'best'],
  ];
  for (const [code, ...args] of after) expect((await run(args)).code).toBe(code);
});

test('a bundle is submitted from files with its verdicts, and received as a whole or not at all', async () => {
  const { config, folder } = sqlitePool('priority');
  const inFolder = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const [first, second] = [inFolder('first.bin', 'first'), inFolder('second.bin', 'second')];
  const verdicts = inFolder('verdicts.json', '[{"priority":"9","gas":1,"provides":["a"]},{"requires":["a"],"gas":1}]');
  const mempool = (...args: string[]): Promise<Ran> => run(['-c', config, '--json', ...args], { input: 'piped' });
  const bundle = ['bundle', first, second, '-', '--operation-id', 'once'];
  const received = await mempool(...bundle);
  expect([received.code, received.err]).toEqual([0, '']);
  const [outcome] = jsonLines(received.out) as [{ readonly transactions: readonly { readonly hash: string }[] }];
  expect(outcome).toMatchObject({ kind: 'received', bundle: 1, transactions: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] });
  expect(await mempool(...bundle)).toEqual(received);
  const dropped = outcome.transactions[1]?.hash ?? '';
  await mempool('drop', dropped, '--yes');
  expect(jsonLines((await mempool('usage')).out)).toMatchObject([{ pending: 0, logged: 3 }]);
  const shown = await run(['-c', config, 'bundle', first, second, '--verdicts', verdicts]);
  expect([shown.code, shown.out]).toMatchObject([0, expect.stringMatching(/^bundle 4 {2}received\n\w{64} {2}seq 4\n/)]);
  expect(jsonLines((await mempool('ls', 'best')).out)).toMatchObject([
    { priority: '9', bundle: 4 },
    { priority: '0', bundle: 4 },
  ]);
  expect((await run(['-c', config, 'status', dropped])).out).toMatch(/^bundle +4$/m);
  const refused = await mempool('bundle', 'aa', first);
  expect([refused.code, jsonLines(refused.out)]).toMatchObject([
    4,
    [{ kind: 'refused', refusal: { kind: 'duplicate' } }],
  ]);
  expect((await run(['-c', config, 'bundle', 'aa', first])).out).toMatch(/^\w{64} {2}duplicate {2}stage Pending\n$/);
  const wrong = [
    'no json',
    '[]',
    '[{},7]',
    '[{},{"prio":"1"}]',
    '[{},{"priority":1}]',
    '[{},{"weight2":1}]',
    '[{},{"gas":"1"}]',
  ];
  for (const text of wrong) {
    const ran = await run(['-c', config, 'bundle', 'aa', 'ab', '--verdicts', inFolder('wrong.json', text)]);
    expect([text, ran.code, ran.out, ran.err.trim().split('\n').length]).toEqual([text, 2, '', 1]);
  }
  expect((await mempool('bundle', 'aa', '--verdicts', join(folder, 'none.json'))).code).toBe(3);
  expect((await mempool('bundle', ...Array.from({ length: 101 }, (_, i) => `aa${i + 100}0`))).code).toBe(2);
  expect(jsonLines((await mempool('usage')).out)).toMatchObject([{ pending: 2 }]);
});
