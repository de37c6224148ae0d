import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, never, plainStatus, point, withoutFacts } from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L13/seen-before: a transaction that a late block carried is received as Confirmed by it': async (pool, store) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.block(2);
    const [outcome] = await store.receive([one]);
    assert.equal(outcome?.kind === 'received' && outcome.stage, 'Confirmed');
    assert.deepEqual(withoutFacts(await pool.status(one.hash)), {
      ...plainStatus(one.hash, 'Confirmed'),
      confirmations: 2,
      confirmedAt: point(1),
    });
  },
  'L13/not-waiting: a transaction received as Confirmed is not in the queue': async (pool, store) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await store.receive([one]);
    assert.deepEqual([await store.hasPending(), await pool.pending()], [false, []]);
    assert.deepEqual(hashesOf((await store.peekInflight()).transactions), [one.hash]);
  },
  'L13/last-that-counts: the oldest block that counts is finalizeThreshold − 1 below the tip': async (pool, store) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.blocks(2, 6);
    await store.receive([one]);
    assert.deepEqual(await pool.stages(one.hash), ['Confirmed']);
  },
  'L13/too-old: a block finalizeThreshold below the tip does not count': async (pool, store) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.blocks(2, 7);
    await store.receive([one]);
    assert.deepEqual(await pool.stages(one.hash), ['Pending']);
  },
  'L13/first-sighting: if two blocks carried a transaction, the first one confirms it': async (pool, store) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.block(2, { seen: [one.hash] });
    await store.receive([one]);
    assert.deepEqual((await pool.status(one.hash)).confirmedAt, point(1));
  },
  'L13/unseen-forgets: a transaction that a later block named as unseen is received as Pending': async (
    pool,
    store,
  ) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.block(2, { unseen: [one.hash] });
    await store.receive([one]);
    assert.deepEqual(await pool.stages(one.hash), ['Pending']);
  },
  'L13/seen-after-unseen: a later block confirms a transaction that an earlier one named as unseen': async (
    pool,
    store,
  ) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.block(2, { unseen: [one.hash] });
    await pool.block(3, { seen: [one.hash] });
    await store.receive([one]);
    assert.deepEqual((await pool.status(one.hash)).confirmedAt, point(3));
  },
  'L13/rollback-forgets: a transaction that only an undone block carried is received as Pending': async (
    pool,
    store,
  ) => {
    const one = pool.transaction();
    await pool.block(1);
    await pool.block(2, { seen: [one.hash] });
    await pool.rollback(1);
    await store.receive([one]);
    assert.deepEqual(await pool.stages(one.hash), ['Pending']);
  },
  'L13/rollback-keeps: a transaction carried by a block that was not undone is received as Confirmed': async (
    pool,
    store,
  ) => {
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.blocks(2, 3);
    await pool.rollback(1);
    await store.receive([one]);
    assert.equal((await pool.status(one.hash)).confirmations, 1);
  },
  'L13/undone-later: a transaction received as Confirmed returns when its block is undone': async (pool, store) => {
    const one = pool.transaction();
    await pool.block(1);
    await pool.block(2, { seen: [one.hash] });
    await store.receive([one]);
    await pool.rollback(1);
    assert.deepEqual(await pool.pending(), [one.hash]);
  },
  'L13/batch: one call may receive some as Confirmed and others as Pending': async (pool, store) => {
    const [a, b, c] = [pool.transaction(), pool.transaction(), pool.transaction()];
    await pool.block(1, { seen: [b.hash] });
    const outcomes = await store.receive([a, b, c]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.kind === 'received' && outcome.stage),
      ['Pending', 'Confirmed', 'Pending'],
    );
  },
  'L13/no-trace: a hash that only the chain knows is Unknown': async (pool) => {
    const hash = pool.random.hex(32);
    await pool.block(1, { seen: [hash] });
    const [usage] = await pool.snapshot();
    assert.deepEqual([await pool.stages(hash), usage.confirmed], [['Unknown'], 0]);
  },
});

const ownPools = mustEach({
  'L13/threshold-of-open: open sets how far back blocks count': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const [near, far] = [pool.transaction(), pool.transaction()];
    await pool.block(1, { seen: [far.hash] });
    await pool.block(2, { seen: [near.hash] });
    await pool.block(3);
    await pool.store.receive([near, far]);
    assert.deepEqual(await pool.stages(near.hash, far.hash), ['Confirmed', 'Pending']);
  },
  'L13/threshold-infinite: with a threshold of Infinity every block kept counts': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: Number.POSITIVE_INFINITY });
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.blocks(2, 20);
    await pool.store.receive([one]);
    assert.equal((await pool.status(one.hash)).confirmations, 20);
  },
  'L13/forgotten-with-the-first: a hash is forgotten with the first block that carried it': async (context) => {
    const pool = await openPool(context, { ...never, maxRollback: 2 });
    const [again, anew] = [pool.transaction(), pool.transaction()];
    await pool.block(1, { seen: [again.hash, anew.hash] });
    await pool.block(2, { seen: [again.hash] });
    await pool.block(3);
    await pool.block(4, { seen: [anew.hash] });
    await pool.store.receive([again, anew]);
    await pool.assertStatus(again.hash, { stage: 'Pending', confirmedAt: null });
    await pool.assertStatus(anew.hash, { stage: 'Confirmed', confirmedAt: point(4) });
  },
  'L13/next-block-finalizes: receive finalizes nothing: the next block does': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 3 });
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    await pool.blocks(2, 3);
    await pool.store.receive([one]);
    const [received] = await pool.stages(one.hash);
    await pool.block(4);
    assert.deepEqual([received, ...(await pool.stages(one.hash))], ['Confirmed', 'Finalized']);
  },
  'L13/known-then-forgotten: a block that carried a known transaction counts when it is forgotten': async (context) => {
    const pool = await openPool(context, { maxFinalized: 1 });
    const [one, other] = [pool.transaction(), pool.transaction()];
    await pool.store.receive([one, other]);
    await pool.finalizeIn(1, one.hash);
    await pool.finalizeIn(2, other.hash);
    await pool.store.receive([one]);
    assert.deepEqual((await pool.status(one.hash)).confirmedAt, point(1));
  },
});

/** Cases of L13: a block arrives before its transaction. */
export const inclusionCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
