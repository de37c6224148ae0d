import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, eachOnPool, eachOnPoolInFlight, mustEach, onPool } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  eventsOf,
  flyEach,
  flyOne,
  gist,
  hashesOf,
  logEntries,
  never,
  pendingOrder,
  point,
  propagateOne,
  receive,
  receiveOne,
  snapshot,
  stagesOf,
  statusOf,
} from '../../scenario/pool.ts';
import { rejection } from '../../scenario/verb-call.ts';

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
  'L5/counts-jumps: a transaction that one block confirms and finalizes counts as both': async (store, context) => {
    const all = hashesOf(await receive(context, store, 3));
    const outcome = await block(store, 1, { seen: all }, { finalizeThreshold: 1 });
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.confirmed, outcome.finalized], [3, 3]);
  },
  'L5/counts-no-depth: a transaction Confirmed before does not count as confirmed': async (store, context) => {
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
  'L5/each-its-block: each transaction has the block that confirmed it, and its depth': async (context) => {
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
  'L5/each-its-own: one block takes each transaction one step of its own': async (context) => {
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

const fields = ['finalizeThreshold', 'dropThreshold'] as const;

const ownPoolsBelowOne = mustEach({
  'L6/options-below-one: thresholds of open below 1 are refused': async (context) => {
    for (const field of fields) {
      const error = await rejection(context.openOther({ [field]: field === 'dropThreshold' ? 0 : -1 }));
      assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
      assert.equal(error.details.field, field);
    }
  },
});

/** Nothing can be final or stale without a block, so 0 is refused: "never" is `Infinity`. */
const belowOne: readonly ConformanceCase[] = [
  ...fields.map((field) =>
    onPool(
      field === 'dropThreshold' ? 'L6/drop-below-one' : 'L6/finalize-below-one',
      `a ${field} below 1 is refused, and the block is not applied`,
      async (store, context) => {
        await propagateOne(context, store);
        const before = await snapshot(store);
        for (const value of [0, -3]) {
          const error = await rejection(block(store, 1, {}, { [field]: value }));
          assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
          assert.deepEqual([error.details.field, await snapshot(store)], [field, before]);
        }
      },
    ),
  ),
  ...ownPoolsBelowOne,
];

const thresholdOnePool = eachOnPool({
  'L6/finalize-default: by default the sixth confirmation makes a transaction Finalized': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 5);
    const [fifth] = await stagesOf(store, [hash]);
    await block(store, 6);
    assert.deepEqual([fifth, ...(await stagesOf(store, [hash]))], ['Confirmed', 'Finalized']);
  },
  'L6/policy-lowers: a call with a lower threshold finalizes what is deep enough, once': async (store, context) => {
    const [deep, fresh] = hashesOf(await receive(context, store, 2)) as [string, string];
    await block(store, 1, { seen: [deep] });
    await emptyBlocks(store, 2, 3);
    await block(store, 4, { seen: [fresh] }, { finalizeThreshold: 3 });
    await emptyBlocks(store, 5, 7);
    assert.deepEqual(await stagesOf(store, [deep, fresh]), ['Finalized', 'Confirmed']);
    assert.equal((await statusOf(store, deep)).confirmations, 4);
  },
  'L6/policy-raises: a call with a higher threshold finalizes nothing that the pool would': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 8, { finalizeThreshold: 100 });
    assert.equal((await statusOf(store, hash)).stage, 'Confirmed');
  },
  'L6/finalize-at-one: with a threshold of 1 the block that carries it finalizes it': async (store, context) => {
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] }, { finalizeThreshold: 1 });
    const { stage, confirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, confirmations], ['Finalized', 1]);
  },
  'L6/stale: a transaction that no block confirms is dropped with the reason "stale"': async (store, context) => {
    const propagated = await propagateOne(context, store);
    const acknowledged = await propagateOne(context, store);
    await store.markAcknowledged([acknowledged]);
    await emptyBlocks(store, 1, 2, { dropThreshold: 2 });
    const told = await store.checkStatus([propagated, acknowledged]);
    assert.deepEqual(
      told.map(({ stage, reason, nonConfirmations }) => [stage, reason, nonConfirmations]),
      [
        ['Dropped', 'stale', 2],
        ['Dropped', 'stale', 2],
      ],
    );
  },
  'L6/age-starts-anew: a transaction returned and marked again ages from the new mark': async (store, context) => {
    const hash = await propagateOne(context, store);
    await block(store, 1);
    await store.release([hash]);
    await store.markInflight([hash]);
    await block(store, 2);
    const { stage, nonConfirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, nonConfirmations], ['Propagated', 1]);
  },
  'L6/storm: one block may finalize and drop thousands': async (store, context) => {
    const seen = [await receive(context, store, 1_000), await receive(context, store, 1_000)].flatMap(hashesOf);
    for (let i = 0; i < 2; i++) await store.markInflight(hashesOf(await receive(context, store, 1_000)));
    await block(store, 1, { seen }, never);
    const outcome = await block(store, 2, {}, { finalizeThreshold: 2, dropThreshold: 2 });
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.finalized, outcome.dropped], [2_000, 2_000]);
  },
});

const thresholdInFlight = eachOnPoolInFlight({
  'L6/drop-default: by default no number of non-confirmations drops a transaction': async (store, stage, context) => {
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 12);
    const status = await statusOf(store, hash);
    assert.deepEqual([status.stage, status.nonConfirmations], [stage, 12]);
  },
});

const thresholdOwnPools = mustEach({
  'L6/finalize-option: open sets how many confirmations make a transaction Finalized': async (context) => {
    const store = await context.open({ finalizeThreshold: 3 });
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await block(store, 2);
    const [second] = await stagesOf(store, [hash]);
    await block(store, 3);
    assert.deepEqual([second, ...(await stagesOf(store, [hash]))], ['Confirmed', 'Finalized']);
  },
  'L6/never-finalizes: with a threshold of Infinity nothing is finalized': async (context) => {
    const store = await context.open({ finalizeThreshold: Number.POSITIVE_INFINITY });
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 30);
    assert.equal((await statusOf(store, hash)).stage, 'Confirmed');
  },
  'L6/both-in-one-block: one block finalizes and drops; the log has them by seq': async (context) => {
    const store = await context.open({ finalizeThreshold: 2, dropThreshold: 2 });
    const [a, b, c, d] = hashesOf(await receive(context, store, 4)) as [string, string, string, string];
    await store.markInflight([d, b]);
    await block(store, 1, { seen: [c, a] });
    const made = await eventsOf(context, store, () => block(store, 2));
    const expected = [`Finalized ${a}`, `Dropped ${b}`, `Finalized ${c}`, `Dropped ${d}`];
    assert.deepEqual(made.map(gist), ['applied 2', ...expected]);
    assert.deepEqual(
      (await logEntries(store)).map(({ stage, hash }) => `${stage} ${hash}`),
      expected,
    );
  },
  'L6/counters-frozen: the counters of a Finalized transaction do not grow': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 9);
    const { stage, confirmations } = await statusOf(store, hash);
    assert.deepEqual([stage, confirmations], ['Finalized', 2]);
  },
});

const thresholdOwnInFlight = eachInFlight({
  'L6/drop-option: open sets how many non-confirmations drop a transaction': async (context, stage) => {
    const store = await context.open({ dropThreshold: 4 });
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 3);
    const [third] = await stagesOf(store, [hash]);
    await block(store, 4);
    assert.deepEqual([third, ...(await stagesOf(store, [hash]))], [stage, 'Dropped']);
  },
  'L6/policy-partial: the threshold that a call leaves out is the one of open': async (context, stage) => {
    const store = await context.open({ finalizeThreshold: 2, dropThreshold: 3 });
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 2, { finalizeThreshold: 5 });
    const [second] = await stagesOf(store, [hash]);
    await block(store, 3, {}, { finalizeThreshold: 5 });
    assert.deepEqual([second, ...(await stagesOf(store, [hash]))], [stage, 'Dropped']);
  },
  'L6/policy-drops: a call with a lower threshold drops transactions that are old enough': async (context, stage) => {
    const store = await context.open(never);
    const old = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 4);
    const young = await flyOne(context, store, stage);
    await block(store, 5, {}, { dropThreshold: 3 });
    assert.deepEqual(await stagesOf(store, [old, young]), ['Dropped', stage]);
  },
  'L6/never-drops: with a threshold of Infinity nothing is dropped': async (context, stage) => {
    const store = await context.open({ dropThreshold: Number.POSITIVE_INFINITY });
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 30);
    assert.deepEqual((await statusOf(store, hash)).nonConfirmations, 30);
  },
  'L6/return-clears: a return to Pending clears both counters': async (context, stage) => {
    const store = await context.open(never);
    const deep = await receiveOne(context, store);
    const old = await flyOne(context, store, stage);
    await block(store, 1, { seen: [deep] });
    await emptyBlocks(store, 2, 3);
    await block(store, 4, { unseen: [deep, old] });
    const told = await store.checkStatus([deep, old]);
    assert.deepEqual(
      told.map(({ confirmations, nonConfirmations, confirmedAt }) => [confirmations, nonConfirmations, confirmedAt]),
      [
        [0, 0, null],
        [0, 0, null],
      ],
    );
  },
  'L6/seen-saves: a block that carries a transaction confirms it instead of dropping it': async (context, stage) => {
    const store = await context.open({ dropThreshold: 2 });
    const hash = await flyOne(context, store, stage);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    assert.equal((await statusOf(store, hash)).stage, 'Confirmed');
  },
  'L6/unseen-saves: a block that names it as unseen returns it instead of finalizing it': async (context, stage) => {
    const store = await context.open({ finalizeThreshold: 2, dropThreshold: 2 });
    const deep = await receiveOne(context, store);
    const old = await flyOne(context, store, stage);
    await block(store, 1, { seen: [deep] });
    await block(store, 2, { unseen: [deep, old] });
    assert.deepEqual(await stagesOf(store, [deep, old]), ['Pending', 'Pending']);
  },
});

export const thresholdCases: readonly ConformanceCase[] = [
  ...thresholdOnePool,
  ...thresholdInFlight,
  ...thresholdOwnPools,
  ...thresholdOwnInFlight,
  ...belowOne,
];
