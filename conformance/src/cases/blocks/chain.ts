import assert from 'node:assert/strict';
import type { ChainPoint, MempoolStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, mustEach, needing } from '../../case/must.ts';
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
  'X3/linked: a block on the tip is applied': async (pool, store) => {
    await pool.block(1);
    const outcome = await store.confirm({ point: point(2), parent: point(1).hash, ...nothing });
    assert.equal(outcome.kind, 'applied');
  },
  'X3/first-block: without a tip any parent is accepted': async ({ store }) => {
    const outcome = await store.confirm({ point: point(700), parent: point(699).hash, ...nothing });
    assert.deepEqual(outcome.kind, 'applied');
  },
  'X3/after-null: after a rollback to the origin any parent is accepted': async (pool, store) => {
    await pool.blocks(1, 2);
    await store.rollback('origin');
    const outcome = await store.confirm({ point: forkPoint(9), parent: forkPoint(8).hash, ...nothing });
    assert.equal(outcome.kind, 'applied');
  },
  'X3/no-parent: a block that names no parent is applied on any tip': async (pool, store) => {
    await pool.block(1);
    assert.equal((await store.confirm({ point: forkPoint(40), ...nothing })).kind, 'applied');
  },
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
  'X3/duplicate-older: an older applied block is a duplicate and changes nothing': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.blocks(1, 4);
    const before = await pool.snapshot();
    const outcome = await pool.block(2, { seen: [hash] });
    assert.deepEqual(outcome, { kind: 'duplicate', tip: { point: point(4), tick: 4 } });
    assert.deepEqual([await pool.snapshot(), await pool.stages(hash)], [before, ['Pending']]);
  },
  'X3/whole-point: an applied hash in another slot is another block': async (pool, store) => {
    await pool.blocks(1, 2);
    const { slot, hash } = point(1);
    for (const other of [slot + 7, slot + 2 ** 32]) {
      const parent = (await store.tip()).point?.hash;
      assert.equal((await store.confirm({ point: { slot: other, hash }, parent, ...nothing })).kind, 'applied');
    }
  },
  'X3/duplicate-with-parent: an applied block with its parent is a duplicate, not a gap': async (pool, store) => {
    await pool.blocks(1, 4);
    const older = await store.confirm({ point: point(2), parent: point(1).hash, ...nothing });
    const tip = await store.confirm({ point: point(4), parent: point(3).hash, ...nothing });
    assert.deepEqual([older.kind, tip.kind], ['duplicate', 'duplicate']);
  },
  'X3/undone-again: an undone block may be applied again': async (pool, store) => {
    await pool.blocks(1, 2);
    await pool.rollback(1);
    const outcome = await store.confirm({ point: point(2), parent: point(1).hash, ...nothing });
    assert.deepEqual([outcome.kind, outcome.tip], ['applied', { point: point(2), tick: 2 }]);
  },
  'X4/no-tip: a new pool has no tip and no blocks': async (pool) => {
    assert.deepEqual(await pool.tip(5), { point: null, tick: 0, points: [] });
  },
  'X4/tip: the tip is the last block applied, its tick the number of blocks': async (pool) => {
    const ticks: unknown[] = [];
    for (const n of [3, 5, 8]) ticks.push((await pool.block(n)).tip, await pool.tip());
    const tips = [3, 5, 8].flatMap((n, i) => [
      { point: point(n), tick: i + 1 },
      { point: point(n), tick: i + 1, points: [] },
    ]);
    assert.deepEqual(ticks, tips);
  },
  'X4/points: tip lists the last applied points, newest first': async (pool, store) => {
    await pool.blocks(1, 6);
    assert.deepEqual((await store.tip({ points: 3 })).points, [point(6), point(5), point(4)]);
  },
  'X4/points-all: tip lists no more points than blocks were applied': async (pool, store) => {
    await pool.blocks(1, 2);
    assert.deepEqual((await store.tip({ points: 100 })).points, [point(2), point(1)]);
  },
  'X4/rolled-back: after a rollback tip and points are those of the target': async (pool, store) => {
    await pool.blocks(1, 5);
    await pool.rollback(3);
    await store.confirm({ point: forkPoint(4), ...nothing });
    assert.deepEqual(await pool.tip(3), {
      point: forkPoint(4),
      tick: 4,
      points: [forkPoint(4), point(3), point(2)],
    });
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
  'X3/after-null-kept: after a rollback of the kept blocks any parent is accepted': async (context) => {
    const pool = await openPool(context, { maxRollback: 2 });
    await pool.blocks(1, 5);
    await pool.store.rollback('origin');
    const outcome = await pool.store.confirm({ point: forkPoint(9), parent: forkPoint(8).hash, ...nothing });
    assert.equal(outcome.kind, 'applied');
  },
  'X3/parent-after-rollback: after a rollback the parent must be the new tip': async (context) => {
    const pool = await openPool(context);
    await pool.blocks(1, 3);
    await pool.rollback(1);
    const outcome = await pool.store.confirm({ point: forkPoint(4), parent: point(3).hash, ...nothing });
    assert.deepEqual(outcome, { kind: 'gap', tip: { point: point(1), tick: 1 } });
  },
  'X4/points-kept: the points listed are those that a rollback can reach': async (context) => {
    const pool = await openPool(context, { maxRollback: 3 });
    await pool.blocks(1, 9);
    assert.deepEqual((await pool.store.tip({ points: 100 })).points, [point(9), point(8), point(7), point(6)]);
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
  'X3/gap-ages-nothing: a gap ages nothing': async (pool, stage, store) => {
    await pool.block(1);
    const hash = await pool.flyOne(stage);
    for (let i = 0; i < 3; i++) await store.confirm({ point: point(9), parent: point(8).hash, ...nothing });
    assert.equal((await pool.status(hash)).nonConfirmations, 0);
  },
  'X3/duplicate-tip: the tip applied again is a duplicate and changes nothing': async (pool, stage) => {
    const hash = await pool.flyOne(stage);
    await pool.block(1);
    const before = await pool.snapshot();
    const outcome = await pool.block(1, { seen: [hash] });
    assert.deepEqual(outcome, { kind: 'duplicate', tip: { point: point(1), tick: 1 } });
    assert.deepEqual([await pool.snapshot(), await pool.stages(hash)], [before, [stage]]);
  },
});

const ownInFlight = eachInFlight({
  'X3/duplicate-ages-nothing: blocks that are applied again age nothing': async (context, flying) => {
    const pool = await openPool(context);
    const hash = await pool.flyOne(flying);
    await pool.block(1);
    for (let i = 0; i < 5; i++) await pool.block(1);
    await pool.assertStatus(hash, { stage: flying, nonConfirmations: 1 });
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

export const chainCases: readonly ConformanceCase[] = [
  ...onePool,
  ...ownPools,
  ...inFlight,
  ...ownInFlight,
  ...ownPoolsDurable,
];
