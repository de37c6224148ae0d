import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

async function run(cwd: string, args: readonly string[]): Promise<string> {
  return (await runProgram(args, { cwd })).stdout;
}

test('every run finds what the ones before have left', async () => {
  const cwd = scratchFolder();
  const last: (string | undefined)[] = [];
  for (const _ of [1, 2, 3]) last.push((await run(cwd, [here('../src/main.ts')])).trimEnd().split('\n').at(-1));
  expect(last).toEqual([
    'block at slot 20: 1 confirmed, 0 final',
    'block at slot 40: 2 confirmed, 0 final',
    'block at slot 60: 2 confirmed, 1 final',
  ]);
});

test('the suite runs with node --test as well', async () => {
  const args = ['--test', '--test-reporter=tap', '--test-name-pattern=^L2/', here('./conformance.node.ts')];
  const report = await run(here('..'), args);
  expect(report).toMatch(/^ok \d+ - L2\//m);
  expect(report).toMatch(/^# fail 0$/m);
});

test('a configuration may name the backend by its module', async () => {
  const config = JSON.stringify({ backend: here('../src/index.ts'), path: join(scratchFolder(), 'pool.journal') });
  const program = `
    import { openMempool } from 'mempool-core';
    await using mempool = await openMempool(${config}, {});
    console.log((await mempool.usage()).pending);`;
  expect(await run(here('..'), ['--input-type=module', '--eval', program])).toBe('0\n');
});
