import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { jsonLines, type Ran, run } from './run-in-process.ts';

function sqlitePool(): { readonly config: string; readonly folder: string } {
  const folder = scratchFolder();
  const config = join(folder, 'pool.toml');
  writeFileSync(config, `[mempool]\nbackend = "sqlite"\npath = ${JSON.stringify(join(folder, 'pool.sqlite'))}\n`);
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
