import assert from 'node:assert/strict';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, needing } from '../../case/must.ts';
import { openPool, openTimed, type TimedPool } from '../../scenario/on-pool.ts';
import { hashesOf } from '../../scenario/pool.ts';

/** A pool with a clock; the middle one of three transactions is held back until 6,000. */
interface Held {
  readonly pool: TimedPool;
  readonly hashes: readonly [first: string, held: string, last: string];
}

const notBeforeMs = 6_000;
const worker = { owner: 'w', claimMs: 100 };

async function held(context: CaseContext): Promise<Held> {
  const pool = await openTimed(context, {}, { nowMs: 5_000 });
  const [first = '', middle = '', last = ''] = await pool.receiveHashes(3);
  await pool.mark(middle);
  assert.deepEqual(await pool.store.release([middle], { notBeforeMs }), [middle]);
  return { pool, hashes: [first, middle, last] };
}

const cases = eachFifo({
  'P20/woken-by-a-sweep: a sweep at the time or later hands it out again, in its old place': async (context) => {
    const { pool, hashes } = await held(context);
    pool.clock.nowMs = notBeforeMs - 1;
    assert.deepEqual((await pool.store.sweep()).woken, []);
    pool.clock.nowMs = notBeforeMs;
    assert.deepEqual(await pool.store.sweep(), {
      returned: [],
      woken: [hashes[1]],
      expired: [],
      evicted: [],
      more: false,
    });
    assert.deepEqual(await pool.pending(), hashes);
    const { notBefore } = await pool.status(hashes[1]);
    assert.deepEqual([notBefore, (await pool.store.usage()).held], [null, 0]);
  },
  'P20/by-time: the earliest time is woken first, then the lowest seq': async (context) => {
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const [a = '', b = '', c = '', d = ''] = await pool.receiveHashes(4);
    await pool.store.take({}, worker);
    await pool.store.release([d, b], { notBeforeMs: 5_050 });
    await pool.store.release([a], { notBeforeMs: 5_060 });
    await pool.store.release([c], { notBeforeMs: 5_040 });
    pool.clock.nowMs = 5_100;
    assert.deepEqual((await pool.store.sweep()).woken, [c, b, d, a]);
    assert.deepEqual(await pool.pending(), [a, b, c, d]);
  },
  'P20/a-thousand: one sweep wakes at most a thousand, and tells that there are more': async (context) => {
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const batches = [0, 1].map(() => Array.from({ length: 501 }, () => pool.transaction(1)));
    for (const batch of batches) await pool.store.receive(batch);
    await pool.store.take({}, worker);
    for (const batch of batches) await pool.store.release(hashesOf(batch), { notBeforeMs });
    pool.clock.nowMs = notBeforeMs;
    const [most, rest] = [await pool.store.sweep(), await pool.store.sweep()];
    assert.deepEqual([most.woken, most.more], [hashesOf(batches.flat()).slice(0, 1_000), true]);
    assert.deepEqual([rest.woken, rest.more], [hashesOf(batches.flat()).slice(1_000), false]);
  },
});

const durable = eachFifo({
  'P20/kept: what is held outlives the process': async (context) => {
    const { pool, hashes } = await held(context);
    await pool.store.close();
    const again = await openPool(context, { now: () => pool.clock.nowMs });
    assert.deepEqual(await again.pending(), [hashes[0], hashes[2]]);
    assert.deepEqual([(await again.status(hashes[1])).notBefore, (await again.store.usage()).held], [notBeforeMs, 1]);
    pool.clock.nowMs = notBeforeMs;
    assert.deepEqual(hashesOf((await again.store.take({}, worker)).transactions), hashes);
  },
}).map(needing('durable'));

export const holdingCases: readonly ConformanceCase[] = [...cases, ...durable];
