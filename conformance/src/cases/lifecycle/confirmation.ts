import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, eachOnPool, eachOnPoolInFlight, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  flyEach,
  flyOne,
  hashesOf,
  never,
  pendingOrder,
  point,
  propagateOne,
  receive,
  receiveOne,
  stagesOf,
  statusOf,
} from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L5/first-confirmation: the block that carries a transaction gives it one confirmation': async (store, context) => {
    const hash = await receiveOne(context, store);
    await emptyBlocks(store, 1, 3);
    await block(store, 4, { seen: [hash] });
    assert.equal((await statusOf(store, hash)).confirmations, 1);
  },
  'L5/waiting-never-ages: a Pending transaction does not age, however many blocks come': async (store, context) => {
    const all = hashesOf(await receive(context, store, 3));
    await emptyBlocks(store, 1, 10);
    assert.deepEqual(await pendingOrder(store), all);
    assert.equal((await statusOf(store, all[0] as string)).nonConfirmations, 0);
  },
  'L5/counts-jumps: what is Confirmed and Finalized by one block counts as both': async (store, context) => {
    const all = hashesOf(await receive(context, store, 3));
    const outcome = await block(store, 1, { seen: all }, { finalizeThreshold: 1 });
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.confirmed, outcome.finalized], [3, 3]);
  },
  'L5/counts-no-depth: what was Confirmed before does not count as confirmed': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    const outcome = await block(store, 2, { seen: [hash] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 0);
  },
  'L5/foreign-hashes: hashes the pool does not know count nothing and make no record': async (store, context) => {
    const foreign = [context.random.hex(32), context.random.hex(32)] as const;
    const outcome = await block(store, 1, { seen: [foreign[0]], unseen: [foreign[1]] });
    const tip = { point: point(1), tick: 1 };
    assert.deepEqual(outcome, { kind: 'applied', tip, confirmed: 0, returned: 0, finalized: 0, dropped: 0 });
    assert.deepEqual(await stagesOf(store, foreign), ['Unknown', 'Unknown']);
  },
  'L5/named-twice: a hash twice in a list counts once': async (store, context) => {
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    await store.markInflight([b]);
    const outcome = await block(store, 1, { seen: [a, a], unseen: [b, b] });
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.confirmed, outcome.returned], [1, 1]);
  },
  'L5/received-between: a transaction received after a block does not belong to it': async (store, context) => {
    await emptyBlocks(store, 1, 3);
    const hash = await receiveOne(context, store);
    assert.deepEqual(await stagesOf(store, [hash]), ['Pending']);
  },
});

const ownPools = mustEach({
  'L5/depth: each later block adds one confirmation': async (context) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 9);
    assert.equal((await statusOf(store, hash)).confirmations, 9);
  },
  'L5/seen-again: a block that names a Confirmed transaction again adds one confirmation, not two': async (context) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    for (const n of [1, 2, 3]) await block(store, n, { seen: [hash] });
    assert.equal((await statusOf(store, hash)).confirmations, 3);
  },
  'L5/confirmed-at-once: confirmedAt is the first block that carried it, set once': async (context) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    for (const n of [1, 2, 3]) await block(store, n, { seen: [hash] });
    assert.deepEqual((await statusOf(store, hash)).confirmedAt, point(1));
  },
  'L5/each-its-block: transactions of different blocks have different blocks and depths': async (context) => {
    const store = await context.open(never);
    const all = hashesOf(await receive(context, store, 3));
    for (const [i, hash] of all.entries()) await block(store, i + 1, { seen: [hash] });
    const told = (await store.checkStatus(all)).map(({ confirmedAt, confirmations }) => [confirmedAt, confirmations]);
    assert.deepEqual(told, [
      [point(1), 3],
      [point(2), 2],
      [point(3), 1],
    ]);
  },
  'L5/confirmed-anew: after a return the next block that carries it is its first': async (context) => {
    const store = await context.open(never);
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await block(store, 2, { unseen: [hash] });
    await block(store, 3, { seen: [hash] });
    const { confirmations, confirmedAt } = await statusOf(store, hash);
    assert.deepEqual([confirmations, confirmedAt], [1, point(3)]);
  },
  'L5/age: each block that does not carry it adds one non-confirmation': async (context) => {
    const store = await context.open(never);
    const propagated = await propagateOne(context, store);
    await block(store, 1);
    const acknowledged = await propagateOne(context, store);
    await store.markAcknowledged([acknowledged]);
    await emptyBlocks(store, 2, 5);
    const told = await store.checkStatus([propagated, acknowledged]);
    assert.deepEqual(
      told.map(({ nonConfirmations }) => nonConfirmations),
      [5, 4],
    );
  },
  'L5/outcome-counts: the outcome counts what the block did': async (context) => {
    const store = await context.open({ finalizeThreshold: 2, dropThreshold: 2 });
    const all = hashesOf(await receive(context, store, 6));
    const [final, gone, stale, fresh] = all as [string, string, string, string];
    await store.markInflight([gone, stale]);
    await block(store, 1, { seen: [final] });
    const outcome = await block(store, 2, { seen: [fresh], unseen: [gone] });
    const tip = { point: point(2), tick: 2 };
    assert.deepEqual(outcome, { kind: 'applied', tip, confirmed: 1, returned: 1, finalized: 1, dropped: 1 });
  },
  'L5/each-its-own: one block does each transaction its own step': async (context) => {
    const store = await context.open(never);
    const waiting = hashesOf(await receive(context, store, 2));
    const [seen, unseen, flying] = [
      await flyEach(context, store),
      await flyEach(context, store),
      await flyEach(context, store),
    ];
    const deep = [await receiveOne(context, store), await receiveOne(context, store)];
    await block(store, 1, { seen: deep });
    const given = { seen: [...waiting.slice(1), ...seen], unseen: [...unseen, ...deep.slice(1)] };
    await block(store, 2, given);
    const told = await store.checkStatus([...waiting, ...seen, ...unseen, ...flying, ...deep]);
    assert.deepEqual(
      told.map(({ stage, confirmations, nonConfirmations }) => `${stage} ${confirmations} ${nonConfirmations}`),
      [
        ...['Pending 0 0', 'Confirmed 1 0'],
        ...['Confirmed 1 0', 'Confirmed 1 0'],
        ...['Pending 0 0', 'Pending 0 0'],
        ...['Propagated 0 2', 'Acknowledged 0 2'],
        ...['Confirmed 2 0', 'Pending 0 0'],
      ],
    );
  },
  'L12/point-outlives: a Confirmed transaction keeps its block after the block cannot be undone': async (context) => {
    const store = await context.open({ ...never, maxRollback: 2 });
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 12);
    const { confirmedAt, confirmations } = await statusOf(store, hash);
    assert.deepEqual([confirmedAt, confirmations], [point(1), 12]);
  },
  'L12/point-in-log: a log entry keeps its block after the block cannot be undone': async (context) => {
    const store = await context.open({ maxRollback: 2 });
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 15);
    const [entry] = (await store.dumpFinalized()).entries;
    assert.deepEqual([entry?.hash, entry?.point], [hash, point(1)]);
  },
});

const inFlight = eachOnPoolInFlight({
  'L5/seen-wins: a hash in both lists counts as seen': async (store, stage, context) => {
    const hash = await flyOne(context, store, stage);
    await block(store, 1, { seen: [hash], unseen: [hash] });
    assert.equal((await statusOf(store, hash)).stage, 'Confirmed');
  },
});

const ownInFlight = eachInFlight({
  'L5/confirmation-clears-age: a confirmation clears the non-confirmations': async (context, stage) => {
    const store = await context.open(never);
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 3);
    await block(store, 4, { seen: [hash] });
    const { confirmations, nonConfirmations } = await statusOf(store, hash);
    assert.deepEqual([confirmations, nonConfirmations], [1, 0]);
  },
});

export const confirmationCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...inFlight, ...ownInFlight];
