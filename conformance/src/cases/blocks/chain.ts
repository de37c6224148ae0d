import assert from 'node:assert/strict';
import type { ChainPoint, MempoolStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { eachOnPool, eachOnPoolInFlight, openPool } from '../../scenario/on-pool.ts';
import { forkPoint, never, point } from '../../scenario/pool.ts';

const nothing = { seen: [], unseen: [] } as const;
/** Slot 0 is a valid slot, although 0 is falsy. */
const genesis: ChainPoint = { slot: 0, hash: '0e'.repeat(32) };

/** The block of each transaction, as every verb that reads transactions in flight returns it. */
async function toldPoints(store: MempoolStore, hashes: readonly string[]): Promise<(ChainPoint | null | undefined)[]> {
  const told = [
    await store.checkStatus(hashes),
    await store.findInflight(hashes),
    (await store.peekInflight()).transactions,
  ];
  return told.flat().map((one) => one?.confirmedAt);
}

const onePool = eachOnPool({
  'X3/slot-below: without a parent, a block in a slot below the tip’s is a gap, and changes nothing': async (
    pool,
    store,
  ) => {
    const hash = await pool.receiveOne();
    await pool.blocks(1, 6);
    const before = await pool.snapshot();
    const below = { ...forkPoint(6), slot: point(6).slot - 1 };
    const outcome = await store.confirm({ point: below, seen: [hash], unseen: [] });
    assert.deepEqual(outcome, { kind: 'gap', tip: { point: point(6), tick: 6 } });
    assert.deepEqual([await pool.snapshot(), await pool.stages(hash)], [before, ['Pending']]);
    const linked = { point: below, parent: point(6).hash, ...nothing };
    assert.equal((await store.confirm(linked)).kind, 'applied');
  },
  'X3/slot-shared: without a parent, a block in the slot of the tip is applied': async (pool, store) => {
    await pool.blocks(1, 6);
    const { slot } = point(6);
    assert.equal((await store.confirm({ point: { ...forkPoint(6), slot }, ...nothing })).kind, 'applied');
  },
  'X3/gap: a parent that is not the tip is a gap, told with the tip, and changes nothing': async (pool, store) => {
    const hash = await pool.receiveOne();
    await pool.blocks(1, 2);
    const before = await pool.snapshot();
    const outcome = await store.confirm({ point: point(5), parent: point(4).hash, seen: [hash], unseen: [] });
    assert.deepEqual(outcome, { kind: 'gap', tip: { point: point(2), tick: 2 } });
    assert.deepEqual([await pool.snapshot(), await pool.stages(hash)], [before, ['Pending']]);
  },
  'X3/gap-below: a new block on an older applied one is a gap too': async (pool, store) => {
    await pool.blocks(1, 3);
    const outcome = await store.confirm({ point: forkPoint(2), parent: point(1).hash, ...nothing });
    assert.deepEqual(outcome, { kind: 'gap', tip: { point: point(3), tick: 3 } });
  },
  'X3/whole-point: an applied hash in another slot is another block': async (pool, store) => {
    await pool.blocks(1, 2);
    const { slot, hash } = point(1);
    for (const other of [slot + 7, slot + 2 ** 32]) {
      const parent = (await store.tip()).point?.hash;
      assert.equal((await store.confirm({ point: { slot: other, hash }, parent, ...nothing })).kind, 'applied');
    }
  },
  'X4/large-slots: a slot may be any safe integer': async (pool, store) => {
    const far = { slot: Number.MAX_SAFE_INTEGER, hash: pool.random.hex(32) };
    await store.confirm({ point: far, ...nothing });
    assert.deepEqual((await store.tip({ points: 1 })).points, [far]);
  },
  'X4/slot-zero: slot 0 is valid: its block can be a tip, a parent, a duplicate and a target': async (pool, store) => {
    const first = { point: genesis, ...nothing };
    const tip = { point: genesis, tick: 1 };
    await store.confirm(first);
    assert.deepEqual(await pool.tip(2), { ...tip, points: [genesis] });
    assert.deepEqual(await store.confirm(first), { kind: 'duplicate', tip });
    const foreign = { point: point(2), parent: point(1).hash, ...nothing };
    assert.deepEqual(await store.confirm(foreign), { kind: 'gap', tip });
    assert.equal((await store.confirm({ ...foreign, parent: genesis.hash })).kind, 'applied');
    assert.deepEqual(await store.rollback(genesis), { kind: 'rolled-back', tip, undone: 1, returned: 0 });
    assert.deepEqual(await store.rollback(genesis), { kind: 'unchanged', tip });
    assert.deepEqual(await pool.rollback(2), { kind: 'unknown-point', tip, oldest: genesis });
  },
});

const ownPools = mustEach({
  'X3/parent-after-rollback: after a rollback the parent must be the new tip': async (context) => {
    const pool = await openPool(context);
    await pool.blocks(1, 3);
    await pool.rollback(1);
    const outcome = await pool.store.confirm({ point: forkPoint(4), parent: point(3).hash, ...nothing });
    assert.deepEqual(outcome, { kind: 'gap', tip: { point: point(1), tick: 1 } });
  },
  'X4/points-kept-by-others: a point kept only for a Confirmed transaction is not listed': async (context) => {
    const pool = await openPool(context, { ...never, maxRollback: 2 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 6);
    const { points } = await pool.store.tip({ points: 100 });
    assert.deepEqual(points, [point(6), point(5), point(4)]);
    assert.deepEqual((await pool.status(hash)).confirmedAt, point(1));
  },
  'X4/confirmed-in-slot-zero: every answer that contains a block shows slot 0': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const one = pool.transaction();
    const before = await pool.receiveOne();
    await pool.store.confirm({ point: genesis, seen: [before, one.hash], unseen: [] });
    await pool.store.receive([one]);
    const hashes = [before, one.hash];
    assert.deepEqual(await toldPoints(pool.store, hashes), [genesis, genesis, genesis, genesis, genesis, genesis]);
    await pool.block(2);
    assert.deepEqual(
      (await pool.logEntries()).map((entry) => entry.point),
      [genesis, genesis],
    );
    const events = await pool.events();
    assert.deepEqual(
      events.flatMap((event) => ('point' in event && event.point !== null ? [event.point] : [])),
      [genesis, genesis, genesis, point(2), genesis, genesis],
    );
  },
});

const inFlight = eachOnPoolInFlight({
  'X3/duplicate-tip: the tip applied again is a duplicate and changes nothing': async (pool, stage) => {
    const hash = await pool.flyOne(stage);
    await pool.block(1);
    const before = await pool.snapshot();
    const outcome = await pool.block(1, { seen: [hash] });
    assert.deepEqual(outcome, { kind: 'duplicate', tip: { point: point(1), tick: 1 } });
    assert.deepEqual([await pool.snapshot(), await pool.stages(hash)], [before, [stage]]);
  },
});

const ownPoolsDurable = mustEach({
  'X4/slot-zero-reopened: slot 0 is still valid after reopening': async (context) => {
    const first = await openPool(context);
    const hash = await first.receiveOne();
    await first.store.confirm({ point: genesis, seen: [hash], unseen: [] });
    await first.store.close();
    const pool = await openPool(context);
    assert.deepEqual(await pool.tip(2), { point: genesis, tick: 1, points: [genesis] });
    assert.deepEqual(await toldPoints(pool.store, [hash]), [genesis, genesis, genesis]);
    assert.equal((await pool.store.rollback(genesis)).kind, 'unchanged');
  },
}).map(needing('durable'));

export const chainCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...inFlight, ...ownPoolsDurable];
