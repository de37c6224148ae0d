import assert from 'node:assert/strict';
import type { LogEntry } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool } from '../../scenario/on-pool.ts';
import { hashesOf, largeTransactions, type Pool, placeOf } from '../../scenario/pool.ts';

const mebibyte = 1_048_576;

/** Drops new transactions one by one, so that the log gains as many entries; returns their hashes. */
async function fill(pool: Pool, count: number): Promise<string[]> {
  const hashes = await pool.receiveHashes(count);
  for (const hash of hashes) await pool.drop(hash);
  return hashes;
}

function numbers(entries: readonly LogEntry[]): number[] {
  return entries.map(({ logSeq }) => logSeq);
}

const onePool = eachOnPool({
  'O4/default-kept: by default the log keeps 10,000 entries': async (pool, store) => {
    for (let i = 0; i < 11; i++) {
      const hashes = await pool.receiveHashes(i < 10 ? 1_000 : 2);
      await pool.drop(...hashes);
    }
    const { entries, missed } = await store.dumpFinalized({ cursor: await pool.cursor('log', 1), limit: 1 });
    assert.deepEqual([numbers(entries), missed, (await store.usage()).logged], [[3], 2, 10_000]);
  },
  'O6/log-least: a limit below 1 acts as 1 in the log': async (pool, store) => {
    await fill(pool, 3);
    const { entries, cursor, hasMore } = await store.dumpFinalized({ limit: 0 });
    assert.deepEqual([numbers(entries), placeOf(cursor), hasMore], [[1], 'l2', true]);
  },
  'O6/log-most: a limit above 1,000 acts as 1,000 in the log': async (pool, store) => {
    for (const count of [1_000, 1]) await pool.drop(...(await pool.receiveHashes(count)));
    const { entries, cursor, hasMore } = await store.dumpFinalized({ limit: 5_000 });
    assert.deepEqual([entries.length, placeOf(cursor), hasMore], [1_000, 'lrt', true]);
  },
  'O6/log-bytes: a page of the log ends at 8 MiB and goes on where it ended': async (pool, store) => {
    const large = largeTransactions(pool.random, 10, mebibyte);
    await store.receive(large);
    await pool.drop(...hashesOf(large));
    const first = await store.dumpFinalized({ limit: 1_000 });
    const second = await store.dumpFinalized({ limit: 1_000, cursor: first.cursor });
    assert.deepEqual(
      [numbers(first.entries), placeOf(first.cursor), first.hasMore, numbers(second.entries), second.hasMore],
      [[1, 2, 3, 4, 5, 6, 7, 8], 'l9', true, [9, 10], false],
    );
  },
  'O6/log-default: without a limit the log gives 100': async (pool, store) => {
    await pool.drop(...(await pool.receiveHashes(101)));
    assert.equal((await store.dumpFinalized()).entries.length, 100);
  },
});

export const logCases: readonly ConformanceCase[] = [...onePool];
