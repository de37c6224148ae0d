import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool, eachOnPoolInFlight, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  finalizeIn,
  flyOne,
  hashesOf,
  logEntries,
  pendingOrder,
  point,
  readable,
  receive,
  receiveOne,
  stagesOf,
  statusOf,
  transaction,
} from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L7/dropped-seen: a Dropped transaction that the chain shows is Confirmed by that block': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'gone');
    await block(store, 1, { seen: [hash] });
    const status = { stage: 'Confirmed', confirmations: 1, nonConfirmations: 0, confirmedAt: point(1), reason: null };
    assert.deepEqual(await statusOf(store, hash), { hash, ...status });
  },
  'L7/same-seq: a revived transaction has its old seq, payload and type': async (store, context) => {
    const one = transaction(context.random, 200);
    await receive(context, store, 1);
    await store.receive([one]);
    const old = (await store.peekPending())[1];
    await receive(context, store, 1);
    await store.drop([one.hash], 'gone');
    await block(store, 1, { seen: [one.hash] });
    const [found] = await store.findInflight([one.hash]);
    assert.ok(old && found);
    const { seq, payloadType } = readable(found);
    assert.deepEqual([seq, payloadType, readable(found).payload], [old.seq, one.payloadType, readable(one).payload]);
  },
  'L7/counted: a revived transaction counts as confirmed': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'gone');
    const outcome = await block(store, 1, { seen: [hash] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 1);
  },
  'L7/history-stays: the log entry of the drop stays as history': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'gone');
    await block(store, 1, { seen: [hash] });
    assert.deepEqual(
      (await logEntries(store)).map((entry) => [entry.hash, entry.stage, entry.reason]),
      [[hash, 'Dropped', 'gone']],
    );
  },
  'L7/jump: a revived transaction may be Finalized by the same block': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'gone');
    const outcome = await finalizeIn(store, 1, [hash]);
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.confirmed, outcome.finalized], [1, 1]);
  },
  'L7/given-up-again: a revived transaction that the chain gives up waits at its old place': async (store, context) => {
    const all = hashesOf(await receive(context, store, 3));
    await store.drop(all.slice(0, 1), 'gone');
    await block(store, 1, { seen: all.slice(0, 1) });
    await block(store, 2, { unseen: all.slice(0, 1) });
    assert.deepEqual(await pendingOrder(store), all);
  },
  'L7/dropped-unseen: a Dropped transaction that the chain gives up stays Dropped': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'gone');
    await block(store, 1, { unseen: [hash] });
    const { stage, reason } = await statusOf(store, hash);
    assert.deepEqual([stage, reason], ['Dropped', 'gone']);
  },
  'L7/finalized-seen: a Finalized transaction that the chain shows again stays as it was': async (store, context) => {
    const hash = await receiveOne(context, store);
    await finalizeIn(store, 1, [hash]);
    const before = await statusOf(store, hash);
    await block(store, 2, { seen: [hash] });
    assert.deepEqual(await statusOf(store, hash), before);
  },
  'L7/second-life-revived: of several lives the last one is revived': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.drop([one.hash], 'first');
    const [again] = await store.receive([one]);
    await store.drop([one.hash], 'second');
    await block(store, 1, { seen: [one.hash] });
    const [found] = await store.findInflight([one.hash]);
    assert.equal(found?.seq, again?.kind === 'received' ? again.seq : null);
  },
});

const inFlight = eachOnPoolInFlight({
  'L7/stale-seen: what was dropped as stale comes back when the chain shows it': async (store, stage, context) => {
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 2);
    await block(store, 3, { seen: [hash] });
    assert.deepEqual(await stagesOf(store, [hash]), ['Confirmed']);
  },
});

const ownPools = mustEach({
  'L7/finalized-later: a revived transaction is Finalized in due time, with a second entry': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'gone');
    await block(store, 1, { seen: [hash] });
    await block(store, 2);
    assert.deepEqual(
      (await logEntries(store)).map((entry) => [entry.logSeq, entry.stage]),
      [
        [1, 'Dropped'],
        [2, 'Finalized'],
      ],
    );
    assert.deepEqual(await stagesOf(store, [hash]), ['Finalized']);
  },
  'L7/forgotten-drop: a Dropped transaction that has left the log is not revived': async (context) => {
    const store = await context.open({ maxFinalized: 1 });
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    await store.drop([a], 'gone');
    await store.drop([b], 'gone');
    const outcome = await block(store, 1, { seen: [a] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 0);
    assert.deepEqual(await stagesOf(store, [a]), ['Unknown']);
  },
});

export const revivalCases: readonly ConformanceCase[] = [...onePool, ...inFlight, ...ownPools];
