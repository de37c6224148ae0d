import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, transaction } from '../numbered.ts';
import { start } from '../program.ts';
import { block } from './killed-block.ts';
import { openLeases, win } from './node.ts';

/** What the pool had when its leader was killed after so many writes, and whether the block was answered before. */
async function killAfter(step: number): Promise<{ tick: number; answered: boolean }> {
  const path = join(scratchFolder(), 'pool.db');
  await using pool = await sqlite.open({ path, fenced: true });
  await pool.receive(numbers(5, 1).map((n) => transaction(n)));
  await pool.markInflight(numbers(5, 1).map(hashOf));
  const child = start('./election/confirmer.ts', [path, String(step)]);
  const [said, [, signal]] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'close')]);
  expect(signal).toBe('SIGKILL');
  const { tick } = await pool.tip();
  // Its time has not come yet: only the lock tells that it is dead.
  const lease = await win(await openLeases(path), 'successor');
  const repeated = await pool.confirm(block, {}, { lease, operationId: 'the block' });
  expect(repeated).toMatchObject({ kind: 'applied', tip: { tick: 1 } });
  expect(await pool.confirm(block, {}, { lease })).toMatchObject({ kind: 'duplicate', tip: { tick: 1 } });
  expect(await pool.usage()).toMatchObject({ propagated: 2, confirmed: 3, lastEventSeq: 5 + 5 + 4 });
  return { tick, answered: said.includes('answered') };
}

test('X1, X6: killed before any write of a confirmation or before its answer, the block is applied once', async () => {
  const ticks: number[] = [];
  for (let step = 0, answered = false; !answered; step++) {
    const killed = await killAfter(step);
    ({ answered } = killed);
    ticks.push(killed.tick);
  }
  // Not there in the beginning, there before it was answered, and all or nothing in between.
  expect(ticks.slice(0, 4)).toEqual([0, 0, 0, 0]);
  expect(ticks.slice(-2)).toEqual([1, 1]);
  expect(ticks).toEqual([...ticks].sort());
}, 300_000);
