import assert from 'node:assert/strict';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, mustFifo, needing } from '../../case/must.ts';
import { openPool, openTimed, type TimedPool } from '../../scenario/on-pool.ts';
import { hashesOf } from '../../scenario/pool.ts';
import { eachOnPriorityPool } from '../../scenario/priority.ts';

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

type Leave = (scene: Held, context: CaseContext) => Promise<unknown>;

/** Ways out of being held, and the stage after. None leaves anything for a later sweep to wake. */
const ways: readonly (readonly [id: string, title: string, leave: Leave, stage: string])[] = [];

function leaves([id, title, leave, stage]: (typeof ways)[number]): ConformanceCase {
  return mustFifo(`P20/${id}`, `a held transaction can be ${title}, and is held no longer`, async (context) => {
    const scene = await held(context);
    const { pool, hashes } = scene;
    await leave(scene, context);
    const { stage: now, notBefore } = await pool.status(hashes[1]);
    assert.deepEqual([now, notBefore, (await pool.store.usage()).held], [stage, null, 0]);
    pool.clock.nowMs = notBeforeMs;
    assert.deepEqual((await pool.store.sweep()).woken, []);
    assert.deepEqual(await pool.stages(hashes[1]), [stage]);
  });
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
  'P20/past: a time that has come holds nothing back': async (context) => {
    const { pool, hashes } = await held(context);
    pool.clock.nowMs = 7_000;
    await pool.mark(hashes[0]);
    await pool.store.release([hashes[0]], { notBeforeMs: 7_000 });
    assert.deepEqual(await pool.pending(), [hashes[0], hashes[2]]);
    assert.equal((await pool.status(hashes[0])).notBefore, null);
  },
  'P20/no-event: waking is no transition: only a priority pool has an event, of the place': async (context) => {
    const { pool } = await held(context);
    pool.clock.nowMs = notBeforeMs;
    const events = await pool.eventsOf(async () => assert.equal((await pool.store.sweep()).woken.length, 1));
    const places = pool.store.ordering === 'fifo' ? [] : ['ready'];
    assert.deepEqual(
      events.map(({ kind }) => kind),
      places,
    );
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

export const holdingCases: readonly ConformanceCase[] = [...ways.map(leaves), ...cases, ...durable];

export const parkedHoldingCases: readonly ConformanceCase[] = eachOnPriorityPool({
  'P20/parks: a held transaction is parked, and so are its descendants': async (scene) => {
    await scene.fill({ parent: { provides: ['p'] }, child: { requires: ['p'] }, other: {} });
    await scene.store.take({ maxTxs: 1 }, worker);
    const until = scene.clock.nowMs + 500;
    await scene.store.release(scene.hashes(['parent']), { notBeforeMs: until });
    assert.deepEqual([await scene.ready(), await scene.parked()], [['other'], ['parent', 'child']]);
    const [parent] = (await scene.store.peekParked()).transactions;
    assert.equal(parent?.notBefore, until);
    scene.clock.nowMs = until;
    assert.deepEqual(scene.names((await scene.store.sweep()).woken), ['parent']);
    assert.deepEqual([await scene.ready(), await scene.parked()], [['parent', 'child', 'other'], []]);
  },
  'P20/told-again: once woken, peers are told of it again': async (scene) => {
    await scene.fill({ one: {}, two: {} });
    const { next } = await scene.store.since();
    await scene.store.take({ maxTxs: 1 }, worker);
    await scene.store.release(scene.hashes(['one']), { notBeforeMs: scene.clock.nowMs + 500 });
    scene.clock.nowMs += 500;
    await scene.store.sweep();
    assert.deepEqual(scene.names((await scene.store.since({ after: next })).items), ['one']);
  },
  'P9/over-limits-only-if-asked: a plain sweep leaves what is over the limits': async (scene) => {
    await scene.fill({ a: {}, b: {} });
    await scene.store.setLimits({ maxTxs: 1 });
    await scene.unchanged(async () => {
      assert.deepEqual(await scene.store.sweep(), { returned: [], woken: [], expired: [], evicted: [], more: false });
    });
    assert.deepEqual(scene.names((await scene.store.sweep({ overLimits: true })).evicted), ['b']);
  },
});
