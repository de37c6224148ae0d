import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { replayed } from './replay-process.ts';
import { totalsOf, writeChain } from './synthetic-file.ts';

const options = { seed: 8, blocks: 30, maxTransactions: 3 };
const totals = totalsOf(options, 0);

test('a config file picks the backend, its file and the thresholds', async () => {
  const cwd = scratchFolder();
  await writeFile(join(cwd, 'pool.toml'), 'backend = "sqlite"\npath = "mine.sqlite"\nfinalize_threshold = "never"\n');
  const result = await replayed({ cwd }, [await writeChain(cwd, options), '--config', 'pool.toml']);
  expect(result).toMatchObject({ backend: 'sqlite', finalized: 0, confirmed: totals.transactions });
  expect(await readdir(cwd)).toContain('mine.sqlite');
});

test('the command line wins over the config file', async () => {
  const cwd = scratchFolder();
  await writeFile(join(cwd, 'pool.json'), '{ "backend": "redis", "url": "redis://127.0.0.1:1" }');
  const file = await writeChain(cwd, options);
  const result = await replayed({ cwd }, [
    file,
    '--config',
    'pool.json',
    '--backend',
    'sqlite',
    '--path',
    'mine.sqlite',
  ]);
  expect(result).toMatchObject({ backend: 'sqlite', ...totals });
  expect(await readdir(cwd)).toContain('mine.sqlite');
});

test('a limit of the config file that is too low for the chain does not cost it its totals', async () => {
  const cwd = scratchFolder();
  await writeFile(join(cwd, 'pool.json'), '{ "backend": "ephemeral", "maxFinalized": 1, "maxEvents": 1 }');
  const result = await replayed({ cwd }, [
    await writeChain(cwd, options),
    '--config',
    'pool.json',
    '--fork-every',
    '4',
  ]);
  expect(result).toMatchObject(totalsOf(options, 4));
});

test('two chains under one key prefix do not mix, nor do two ways of forking one', async () => {
  const cwd = scratchFolder();
  const config = { backend: 'redis', url: inject('redisUrl'), key_prefix: `test-${cwd.slice(-6)}` };
  await writeFile(join(cwd, 'pool.json'), JSON.stringify(config));
  const other = { ...options, seed: 9, blocks: 20 };
  const files = [await writeChain(cwd, options), await writeChain(cwd, other)];
  const run = (file: string | undefined, forkEvery: string) =>
    replayed({ cwd }, [file ?? '', '--config', 'pool.json', '--fork-every', forkEvery]);
  expect(await run(files[0], '0')).toMatchObject({ applied: 30, ...totals });
  expect(await run(files[1], '0')).toMatchObject({ applied: 20, ...totalsOf(other, 0) });
  expect(await run(files[0], '6')).toMatchObject({ applied: 30, ...totalsOf(options, 6) });
});
