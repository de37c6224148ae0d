import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { describe, expect, test } from 'vitest';
import { readCommandLine } from '../src/command-line.ts';
import { runReplay } from './replay-process.ts';
import { writeChain } from './synthetic-file.ts';

const options = { seed: 5, blocks: 12, maxTransactions: 2 };

/** One line that names the thing, and no stack. */
async function expectLine(cwd: string, args: readonly string[], code: number, named: string): Promise<void> {
  const ending = await runReplay({ cwd }, args);
  const [line, ...more] = ending.stderr.trimEnd().split('\n');
  expect({ code: ending.code, more }).toEqual({ code, more: [] });
  expect(line).toContain(named);
}

describe('a wrong command line is an error of one line that names the option', () => {
  test.each([
    ['an option without its value', ['--backend'], '--backend'],
    ['an option that takes no value', ['--json=yes'], '--json'],
    ['an unknown backend', ['--backend', 'mysql'], 'mysql'],
    ['a fork interval that is no number', ['--fork-every', 'seven'], '--fork-every'],
    ['a negative fork interval', ['--fork-every=-1'], '--fork-every'],
    ['a negative fork interval in two words', ['--fork-every', '-1'], "not '-1'"],
    ['an option where a value should be', ['--path', '--json'], '--path needs a value'],
    ['two chunk files', ['one.chunk', 'two.chunk'], 'chunk file'],
  ])('%s', (_, args, named) => {
    const line = expect.stringMatching(new RegExp(`^.*${named}.*$`));
    expect(() => readCommandLine(args)).toThrow(expect.objectContaining({ name: 'UsageError', message: line }));
  });
});

describe('a command line that cannot be followed is one line and exit code 2', () => {
  test.each([
    ['an unknown option', ['--frok-every', '3'], '--frok-every'],
    ['an address without a Redis', ['--url', 'redis://127.0.0.1'], '--url'],
    ['an address for SQLite', ['--backend', 'sqlite', '--url', 'redis://127.0.0.1'], '--url'],
    ['a file for a Redis', ['--backend', 'redis', '--path', 'pool.sqlite'], '--path'],
  ])('%s', async (_, args, named) => {
    await expectLine(scratchFolder(), args, 2, named);
  });
});

describe('what cannot be read is one line and exit code 1, and nothing is made', () => {
  test('a missing file', async () => {
    const cwd = scratchFolder();
    await expectLine(cwd, ['missing.chunk'], 1, 'missing.chunk');
    expect(await readdir(cwd)).toEqual([]);
  });

  test('a truncated file', async () => {
    const cwd = scratchFolder();
    const file = await writeChain(cwd, options);
    await truncate(file, 3_000);
    await expectLine(cwd, [file], 1, file);
    expect(await readdir(cwd)).toEqual([`${options.blocks}-blocks.chunk`]);
  });

  test('a missing config file', async () => {
    await expectLine(scratchFolder(), ['--config', 'missing.toml'], 1, 'cardano-replay: missing.toml: ENOENT');
  });
});

describe('a wrong config file is one line and exit code 1', () => {
  test.each([
    ['a bad value', 'backend = "sqlite"\npath = "p.sqlite"\nfinalize_threshold = "six"\n', 'finalize_threshold'],
    ['no TOML at all', 'backend: sqlite\n', 'pool.toml'],
  ])('%s', async (_, text, named) => {
    const cwd = scratchFolder();
    await writeFile(join(cwd, 'pool.toml'), text);
    await expectLine(cwd, ['--config', 'pool.toml'], 1, named);
  });

  test('an option of the command line that does not go with its backend', async () => {
    const cwd = scratchFolder();
    await writeFile(join(cwd, 'pool.json'), '{ "backend": "ephemeral" }');
    await expectLine(cwd, ['--config', 'pool.json', '--path', 'pool.sqlite'], 2, '--path');
  });
});

describe('a pool that cannot be used is one line and exit code 1', () => {
  test('its tip is not in the chain', async () => {
    const cwd = scratchFolder();
    const long = await writeChain(cwd, options);
    const short = await writeChain(cwd, { ...options, blocks: 8 });
    const { code } = await runReplay({ cwd }, [long]);
    expect(code).toBe(0);
    await expectLine(cwd, [short], 1, short);
  });

  test('its file is of another chain', async () => {
    const cwd = scratchFolder();
    const { code } = await runReplay({ cwd }, ['--path', 'pool.sqlite']);
    expect(code).toBe(0);
    await expectLine(cwd, [await writeChain(cwd, options), '--path', 'pool.sqlite'], 1, 'pool.sqlite');
  });
});

test('--help explains every option and does nothing', async () => {
  const cwd = scratchFolder();
  const { code, stdout, stderr } = await runReplay({ cwd }, ['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const option of ['--backend', '--url', '--path', '--config', '--fork-every', '--json'])
    expect(stdout).toContain(option);
  expect(await readdir(cwd)).toEqual([]);
});
