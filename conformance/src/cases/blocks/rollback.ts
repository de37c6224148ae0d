import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, mustEach } from '../../case/must.ts';
import { eachOnPool, eachOnPoolInFlight, openPool } from '../../scenario/on-pool.ts';
import { forkPoint, hashesOf, never, type Pool, plainStatus, point, withoutFacts } from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L9/undone-block: transactions of an undone block return to Pending with no counters': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.rollback(1);
    assert.deepEqual(withoutFacts(await pool.status(hash)), plainStatus(hash, 'Pending'));
  },
  'L9/finalized-history: the log keeps the entry of a Finalized transaction that returned': async (pool, store) => {
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.finalizeIn(2, hash);
    await pool.rollback(1);
    await store.confirm({ point: forkPoint(2), seen: [hash], unseen: [] }, { finalizeThreshold: 1 });
    assert.deepEqual(
      (await pool.logEntries()).map((entry) => [entry.logSeq, entry.hash, entry.point]),
      [
        [1, hash, point(2)],
        [2, hash, forkPoint(2)],
      ],
    );
  },
  'L9/revived-undone: a transaction revived by an undone block goes to Pending': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.drop(hash);
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.rollback(1);
    assert.deepEqual(await pool.pending(), [hash]);
  },
  'L9/return-stays: a transaction that an undone block named as unseen stays Pending': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.block(2, { unseen: [hash] });
    await pool.rollback(1);
    assert.deepEqual(await pool.pending(), [hash]);
  },
  'L9/switch-depth: a fork switch adds no depth to a transaction confirmed before the fork': async (pool, store) => {
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.block(2);
    await pool.rollback(1);
    await store.confirm({ point: forkPoint(2), parent: point(1).hash, seen: [], unseen: [] });
    assert.equal((await pool.status(hash)).confirmations, 2);
  },
  'L9/switch-confirms-anew: the new side of a fork confirms what both sides carry': async (pool, store) => {
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.rollback(1);
    await store.confirm({ point: forkPoint(2), parent: point(1).hash, seen: [hash], unseen: [] });
    await pool.assertStatus(hash, { confirmations: 1, confirmedAt: forkPoint(2) });
  },
  'L9/returned-in-flight-again: a returned transaction may be marked again and ages from there': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.rollback(1);
    await pool.mark(hash);
    await pool.block(2);
    await pool.assertStatus(hash, { stage: 'Propagated', nonConfirmations: 1 });
  },
  'L9/pending-untouched: Pending transactions stay Pending through a rollback, in the same order': async (pool) => {
    const before = await pool.receiveHashes(2);
    await pool.blocks(1, 3);
    const after = await pool.receiveHashes(2);
    await pool.rollback(1);
    assert.deepEqual(await pool.pending(), [...before, ...after]);
  },
});

const ownPools = mustEach({
  'L9/standing-block: transactions of a block that was not undone lose the depth of the undone blocks': async (
    context,
  ) => {
    const pool = await openPool(context, never);
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.blocks(3, 7);
    await pool.rollback(4);
    await pool.assertStatus(hash, { stage: 'Confirmed', confirmations: 3, confirmedAt: point(2) });
  },
  'L9/named-again: a block that named a Confirmed transaction again takes back only its own depth': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.block(2, { seen: [hash] });
    await pool.rollback(1);
    await pool.assertStatus(hash, { stage: 'Confirmed', confirmations: 1 });
  },
  'L9/finalized-undone: a Finalized transaction of an undone block returns to Pending': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.blocks(3, 5);
    const outcome = await pool.rollback(1);
    assert.equal(outcome.kind === 'rolled-back' && outcome.returned, 1);
    assert.deepEqual(await pool.pending(), [hash]);
  },
  'L9/finalized-standing: a Finalized transaction of a block that was not undone stays as it was': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 4 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 4);
    const before = await pool.status(hash);
    const outcome = await pool.rollback(2);
    assert.equal(outcome.kind === 'rolled-back' && outcome.returned, 0);
    assert.deepEqual(await pool.status(hash), before);
  },
  'L9/finalized-forgotten: a Finalized transaction that has left the log does not return': async (context) => {
    const pool = await openPool(context, { maxFinalized: 1 });
    const [a, b] = await pool.receiveHashes(2);
    await pool.block(1);
    await pool.finalizeIn(2, a);
    await pool.finalizeIn(3, b);
    const outcome = await pool.rollback(1);
    assert.equal(outcome.kind === 'rolled-back' && outcome.returned, 1);
    assert.deepEqual(await pool.stages(a, b), ['Unknown', 'Pending']);
  },
  'L9/age-taken-back: a transaction in flight loses exactly the age of the undone blocks': async (context) => {
    const pool = await openPool(context, never);
    await pool.block(1);
    const propagated = await pool.propagateOne();
    await pool.block(2);
    const acknowledged = await pool.propagateOne();
    await pool.blocks(3, 5);
    await pool.acknowledge(acknowledged);
    await pool.rollback(3);
    await pool.assertStatus(propagated, { stage: 'Propagated', nonConfirmations: 2 });
    await pool.assertStatus(acknowledged, { stage: 'Acknowledged', nonConfirmations: 1 });
  },
});

const ownInFlight = eachInFlight({
  'L9/dropped-stays: a transaction dropped by an undone block stays Dropped': async (context, flying) => {
    const pool = await openPool(context, { dropThreshold: 2 });
    const hash = await pool.flyOne(flying);
    await pool.blocks(1, 2);
    await pool.rollback(1);
    await pool.assertStatus(hash, { stage: 'Dropped', reason: 'stale', nonConfirmations: 2 });
  },
  'L9/marked-after-target: a transaction marked after the target counts from the target': async (context, stage) => {
    const pool = await openPool(context, never);
    await pool.blocks(1, 4);
    const hash = await pool.flyOne(stage);
    await pool.rollback(1);
    const { nonConfirmations } = await pool.status(hash);
    await pool.store.confirm({ point: forkPoint(2), seen: [], unseen: [] });
    assert.deepEqual([nonConfirmations, (await pool.status(hash)).nonConfirmations], [0, 1]);
  },
  'L9/one-block-switch: a fork switch of one block ages nothing twice': async (context, flying) => {
    const pool = await openPool(context);
    await pool.block(1);
    const hash = await pool.flyOne(flying);
    await pool.block(2);
    await pool.rollback(1);
    await pool.store.confirm({ point: forkPoint(2), parent: point(1).hash, seen: [], unseen: [] });
    await pool.assertStatus(hash, { stage: flying, nonConfirmations: 1 });
  },
  'L9/many-switches: ten fork switches age a transaction by one chain, not by eleven': async (context, flying) => {
    const pool = await openPool(context, { dropThreshold: 3 });
    await pool.block(1);
    const hash = await pool.flyOne(flying);
    for (let i = 0; i < 10; i++) {
      await pool.store.confirm({ point: forkPoint(2), seen: [], unseen: [] });
      await pool.rollback(1);
    }
    await pool.block(2);
    await pool.assertStatus(hash, { stage: flying, nonConfirmations: 1 });
  },
});

const inFlight = eachOnPoolInFlight({
  'L9/release-stays: a transaction released after the target stays Pending': async (pool, stage) => {
    await pool.block(1);
    const hash = await pool.flyOne(stage);
    await pool.block(2);
    await pool.release(hash);
    await pool.rollback(1);
    assert.deepEqual(await pool.stages(hash), ['Pending']);
  },
});

/** Cases of L9: the effect of a rollback on each transaction. */
export const rollbackCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...ownInFlight, ...inFlight];

const defaultDepth = 2_160;

const blocksAtOnce = 200;

/** Applies many blocks in order, some hundred at once: thousands at once can take longer than one call may wait (X5). */
async function longChain(pool: Pool, from: number, to: number): Promise<void> {
  for (let first = from; first <= to; first += blocksAtOnce) {
    const count = Math.min(blocksAtOnce, to - first + 1);
    await Promise.all(Array.from({ length: count }, (_, i) => pool.block(first + i)));
  }
}

const rollbackDepthOnePool = eachOnPool({
  'L9/outcome: the outcome has the new tip, and counts undone blocks and returned transactions': async (pool) => {
    const [a, b, c] = await pool.receiveHashes(3);
    await pool.block(1, { seen: [a] });
    await pool.block(2, { seen: [b] });
    await pool.block(3, { seen: [c] });
    const outcome = await pool.rollback(1);
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: point(1), tick: 1 }, undone: 2, returned: 2 });
  },
  'L9/tip-itself: a rollback to the tip changes nothing': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    const before = await pool.snapshot();
    const outcome = await pool.rollback(2);
    assert.deepEqual(outcome, { kind: 'unchanged', tip: { point: point(2), tick: 2 } });
    assert.deepEqual(await pool.snapshot(), before);
  },
  'L9/unknown-point: the answer to a point that was never applied has the oldest point kept': async (pool, store) => {
    await pool.blocks(1, 3);
    const before = await pool.snapshot();
    const outcome = await store.rollback(forkPoint(2));
    const tip = { point: point(3), tick: 3 };
    assert.deepEqual(outcome, { kind: 'unknown-point', tip, oldest: point(1) });
    assert.deepEqual(await pool.snapshot(), before);
  },
  'L9/whole-point: a kept hash in another slot, or a kept slot with another hash, is no kept point': async (
    pool,
    store,
  ) => {
    await pool.blocks(1, 3);
    const before = await pool.snapshot();
    const tip = { point: point(3), tick: 3 };
    for (const { slot, hash } of [point(2), point(3)]) {
      const others = [slot + 1, slot + 2 ** 32].map((other) => ({ slot: other, hash }));
      for (const other of [...others, { slot, hash: forkPoint(2).hash }])
        assert.deepEqual(await store.rollback(other), { kind: 'unknown-point', tip, oldest: point(1) });
    }
    assert.deepEqual(await pool.snapshot(), before);
  },
  'L9/undone-point: a point that was undone is unknown': async (pool) => {
    await pool.blocks(1, 3);
    await pool.rollback(1);
    const outcome = await pool.rollback(3);
    assert.equal(outcome.kind, 'unknown-point');
  },
  'L9/no-tip: without a tip every point is unknown and none is kept': async (pool) => {
    const outcome = await pool.rollback(1);
    assert.deepEqual(outcome, { kind: 'unknown-point', tip: { point: null, tick: 0 }, oldest: null });
  },
  'L9/null-unchanged: a rollback to the origin without a tip changes nothing': async (pool, store) => {
    const made = await pool.eventsOf(async () => {
      assert.deepEqual(await store.rollback('origin'), { kind: 'unchanged', tip: { point: null, tick: 0 } });
    });
    assert.deepEqual(made, []);
  },
  'L9/null-twice: a second rollback to the origin changes nothing': async (pool, store) => {
    await pool.blocks(1, 2);
    await store.rollback('origin');
    assert.equal((await store.rollback('origin')).kind, 'unchanged');
  },
  'L9/null-then-apply: after a rollback to the origin the chain can be applied again': async (pool, store) => {
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await store.rollback('origin');
    const outcome = await pool.block(1, { seen: [hash] });
    assert.deepEqual([outcome.kind, outcome.tip], ['applied', { point: point(1), tick: 1 }]);
    assert.equal((await pool.status(hash)).confirmations, 1);
  },
});

const rollbackDepthOwnPools = mustEach({
  'L9/null: a rollback to the origin undoes every block and leaves no tip': async (context) => {
    const pool = await openPool(context, never);
    const [seen, flying] = await pool.receiveHashes(2);
    await pool.mark(flying);
    await pool.block(1, { seen: [seen] });
    await pool.blocks(2, 3);
    const acknowledged = await pool.flyOne('Acknowledged');
    const outcome = await pool.store.rollback('origin');
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: null, tick: 0 }, undone: 3, returned: 1 });
    assert.deepEqual(await pool.tip(9), { point: null, tick: 0, points: [] });
    await pool.assertStatus(seen, { stage: 'Pending', nonConfirmations: 0 });
    await pool.assertStatus(flying, { stage: 'Propagated', nonConfirmations: 0 });
    await pool.assertStatus(acknowledged, { stage: 'Acknowledged', nonConfirmations: 0 });
  },
  'L9/deepest: a rollback of maxRollback blocks is possible': async (context) => {
    const pool = await openPool(context, { ...never, maxRollback: 3 });
    const hash = await pool.receiveOne();
    await pool.blocks(1, 7);
    await pool.block(8, { seen: [hash] });
    await pool.blocks(9, 10);
    const outcome = await pool.rollback(7);
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: point(7), tick: 7 }, undone: 3, returned: 1 });
  },
  'L9/too-deep: a rollback of more than maxRollback blocks is refused with the oldest kept': async (context) => {
    const pool = await openPool(context, { ...never, maxRollback: 3 });
    const hash = await pool.receiveOne();
    await pool.blocks(1, 9);
    await pool.block(10, { seen: [hash] });
    const outcome = await pool.rollback(6);
    assert.deepEqual(outcome, { kind: 'unknown-point', tip: { point: point(10), tick: 10 }, oldest: point(7) });
    assert.deepEqual(await pool.stages(hash), ['Confirmed']);
  },
  'L9/no-deeper-in-steps: two rollbacks go no deeper than one': async (context) => {
    const pool = await openPool(context, { ...never, maxRollback: 3 });
    await pool.blocks(1, 10);
    await pool.rollback(8);
    const outcome = await pool.rollback(6);
    assert.deepEqual(outcome, { kind: 'unknown-point', tip: { point: point(8), tick: 8 }, oldest: point(7) });
  },
  'L9/null-kept-only: a rollback to the origin undoes the kept blocks; confirmations by older blocks stay': async (
    context,
  ) => {
    const pool = await openPool(context, { ...never, maxRollback: 3 });
    const [old, recent] = await pool.receiveHashes(2);
    await pool.block(1, { seen: [old] });
    await pool.blocks(2, 8);
    await pool.block(9, { seen: [recent] });
    await pool.block(10);
    const outcome = await pool.store.rollback('origin');
    assert.deepEqual(outcome, { kind: 'rolled-back', tip: { point: null, tick: 6 }, undone: 4, returned: 1 });
    await pool.assertStatus(old, { stage: 'Confirmed', confirmations: 6 });
    await pool.assertStatus(recent, { stage: 'Pending', confirmations: 0 });
  },
  'L9/default-depth: by default 2,160 blocks can be undone, and tip lists all their points': async (context) => {
    const pool = await openPool(context, never);
    await pool.block(1);
    const hashes = await pool.flyEach();
    await longChain(pool, 2, defaultDepth + 1);
    const kept = Array.from({ length: defaultDepth + 1 }, (_, i) => point(defaultDepth + 1 - i));
    assert.deepEqual((await pool.store.tip({ points: 2_000 })).points, kept.slice(0, 2_000));
    assert.deepEqual((await pool.store.tip({ points: 5_000 })).points, kept);
    const outcome = await pool.rollback(1);
    assert.equal(outcome.kind === 'rolled-back' && outcome.undone, defaultDepth);
    const ages = (await pool.store.checkStatus(hashes)).map(({ nonConfirmations }) => nonConfirmations);
    assert.deepEqual(ages, [0, 0]);
  },
  'L9/many-returned: a rollback may return thousands, in their old order': async (context) => {
    const pool = await openPool(context, { ...never, maxFinalized: 2_000 });
    const all = [await pool.receive(1_000), await pool.receive(500)].flatMap(hashesOf);
    await pool.block(1);
    for (let i = 0; i < 5; i++) await pool.block(i + 2, { seen: all.slice(i * 300, i * 300 + 300) });
    await pool.rollback(1);
    assert.deepEqual(await pool.pending(), all.slice(0, 1_000));
    assert.equal((await pool.store.usage()).pending, all.length);
  },
});

/** Cases of L9: how far a rollback goes, and its outcomes. */
export const rollbackDepthCases: readonly ConformanceCase[] = [...rollbackDepthOnePool, ...rollbackDepthOwnPools];
