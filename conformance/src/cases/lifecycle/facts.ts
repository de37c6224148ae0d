import assert from 'node:assert/strict';
import type { LifeFacts } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, mustEach, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { openTimed, startMs, type TimedPool } from '../../scenario/on-pool.ts';
import type { Pool } from '../../scenario/pool.ts';

const ttlMs = 1_000;
const dayMs = 86_400_000;

const openShort = (context: CaseContext): Promise<TimedPool> => openTimed(context, { inflightTtlMs: ttlMs });

type Facts = readonly [receivedAt: number | null, attempts: number];

const factsIn = ({ receivedAt, attempts }: LifeFacts): Facts => [receivedAt, attempts];

async function factsOf(pool: Pool, hash: string): Promise<Facts> {
  return factsIn(await pool.status(hash));
}

async function toldFacts(pool: Pool): Promise<Facts[]> {
  return (await pool.events()).flatMap((event) => (event.kind === 'transaction' ? [factsIn(event)] : []));
}

/** What one sweep drops. */
async function swept(store: TestedPool): Promise<readonly string[]> {
  return (await store.sweep()).expired;
}

const facts = mustEach({
  'O8/everywhere: status, pages, log and events tell when it was received and how often it went out': async (
    context,
  ) => {
    const pool = await openTimed(context);
    const hash = await pool.receiveOne();
    pool.clock.nowMs += 300;
    const [waiting] = (await pool.store.peekPending()).transactions;
    await pool.mark(hash);
    const [flying] = (await pool.store.peekInflight()).transactions;
    assert.deepEqual(
      [waiting, flying].map((one) => one && factsIn(one)),
      [
        [startMs, 0],
        [startMs, 1],
      ],
    );
    assert.deepEqual(await factsOf(pool, hash), [startMs, 1]);
    pool.clock.nowMs += 300;
    await pool.drop(hash);
    assert.deepEqual(await factsOf(pool, hash), [startMs, 1]);
    assert.deepEqual((await pool.logEntries()).map(factsIn), [[startMs, 1]]);
    assert.deepEqual(await toldFacts(pool), [
      [startMs, 0],
      [startMs, 1],
      [startMs, 1],
    ]);
  },
});

const durableFacts = mustEach({
  'O8/kept: both outlive the process': async (context) => {
    const pool = await openTimed(context);
    const [live = '', final = ''] = await pool.receiveHashes(2);
    await pool.mark(live, final);
    await pool.release(live);
    await pool.finalizeIn(1, final);
    pool.clock.nowMs += 300;
    await pool.store.close();
    const again = await pool.another();
    await again.mark(live);
    assert.deepEqual(
      [await factsOf(again, live), await factsOf(again, final)],
      [
        [startMs, 2],
        [startMs, 1],
      ],
    );
  },
}).map(needing('durable'));

/** Cases of O8, and of O4 about times. */
export const factCases: readonly ConformanceCase[] = [...facts, ...durableFacts];

const overdue = eachFifo({
  'L14/fraction: a clock with fractions counts in whole milliseconds': async (context) => {
    const pool = await openShort(context);
    const hash = await pool.propagateOne();
    pool.clock.nowMs += ttlMs + 0.5;
    assert.deepEqual(await swept(pool.store), []);
    pool.clock.nowMs += 0.5;
    assert.deepEqual(await swept(pool.store), [hash]);
  },
  'L14/never: Infinity drops nothing': async (context) => {
    const pool = await openTimed(context, { inflightTtlMs: Number.POSITIVE_INFINITY });
    const hash = await pool.propagateOne();
    pool.clock.nowMs += 10_000 * dayMs;
    assert.deepEqual(await swept(pool.store), []);
    assert.deepEqual((await pool.store.usage()).oldestInflight, { hash, sentAt: startMs });
  },
  'L14/a-day: the default is a day': async (context) => {
    const pool = await openTimed(context);
    const hash = await pool.propagateOne();
    pool.clock.nowMs += dayMs;
    assert.deepEqual(await swept(pool.store), []);
    pool.clock.nowMs += 1;
    assert.deepEqual(await swept(pool.store), [hash]);
  },
});

const durableOverdue = eachFifo({
  'L14/kept: the time goes on over reopening': async (context) => {
    const pool = await openShort(context);
    const hashes = await pool.flyEach();
    await pool.store.close();
    pool.clock.nowMs += ttlMs;
    const again = await pool.another({ inflightTtlMs: ttlMs });
    assert.deepEqual(await swept(again.store), []);
    pool.clock.nowMs += 1;
    assert.deepEqual(await swept(again.store), hashes);
  },
}).map(needing('durable'));

/** Cases of L14. */
export const overdueCases: readonly ConformanceCase[] = [...overdue, ...durableOverdue];
