import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openMempool } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { runProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';

const inExample = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const pool = inExample('pool.toml');

async function run(cwd: string): Promise<readonly string[]> {
  const { stdout } = await runProgram([inExample('src/main.ts'), pool], { cwd });
  return stdout.trimEnd().split('\n');
}

test('one transaction goes through every stage, and the next run finds the pool as it was', async () => {
  const cwd = scratchFolder();

  for (const _ of [1, 2]) {
    const stages = (await run(cwd)).flatMap((line) => /… (\w+)$/.exec(line)?.[1] ?? []);
    expect(stages.at(-1)).toBe('Finalized');
    const order = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'];
    expect(stages).toEqual(order.filter((stage) => stages.includes(stage)));
  }

  await using mempool = await openMempool(pool, { sqlite }, { path: join(cwd, '.data/pool.sqlite') });
  expect(await mempool.tip()).toMatchObject({ tick: 12 });
  expect(await mempool.usage()).toMatchObject({ pending: 0, propagated: 0, acknowledged: 0, confirmed: 0, logged: 2 });
});
