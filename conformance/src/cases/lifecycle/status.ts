import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, eachOnPool, eachOnPoolInFlight, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  finalizeIn,
  flyOne,
  hashesOf,
  intact,
  point,
  readable,
  receive,
  receiveOne,
  stagesOf,
  statusOf,
  transaction,
  unknownStatus,
  withoutFacts,
} from '../../scenario/pool.ts';
import { readVerbs, rejection } from '../../scenario/verb-call.ts';

const onePool = eachOnPool({
  'O3/order-asked: checkStatus answers in the order asked, repeated and unknown hashes too': async (store, context) => {
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    const foreign = context.random.hex(32);
    await store.markInflight([b]);
    const asked = [b, foreign, a, b];
    const told = await store.checkStatus(asked);
    assert.deepEqual(hashesOf(told), asked);
    assert.deepEqual(
      told.map(({ stage }) => stage),
      ['Propagated', 'Unknown', 'Pending', 'Propagated'],
    );
  },
  'O3/unknown: a hash that the pool does not know has no counters, block or reason': async (store, context) => {
    await emptyBlocks(store, 1, 3);
    const hash = context.random.hex(20);
    assert.deepEqual(await statusOf(store, hash), unknownStatus(hash));
  },
  'O3/latest-entry: if a hash has several log entries, the latest counts': async (store, context) => {
    const one = transaction(context.random);
    for (const reason of ['failed', { app: 'second' }, { app: 'third' }] as const) {
      await store.receive([one]);
      await store.drop([one.hash], reason);
    }
    assert.deepEqual((await statusOf(store, one.hash)).reason, { app: 'third' });
  },
  'O3/live-counts: a live transaction counts, not the log entry of its earlier life': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.drop([one.hash], 'failed');
    await store.receive([one]);
    await store.markInflight([one.hash]);
    const { stage, reason } = await statusOf(store, one.hash);
    assert.deepEqual([stage, reason], ['Propagated', null]);
  },
  'O3/find-each-stage: findInflight finds Propagated, Acknowledged and Confirmed ones': async (store, context) => {
    const [a, b, c] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    await store.markInflight([a, b]);
    await store.markAcknowledged([b]);
    await block(store, 1, { seen: [c] });
    const found = intact(await store.findInflight([a, b, c]));
    assert.deepEqual(
      found.map((entry) => [entry?.stage, entry?.confirmations, entry?.nonConfirmations, entry?.confirmedAt]),
      [
        ['Propagated', 0, 1, null],
        ['Acknowledged', 0, 1, null],
        ['Confirmed', 1, 0, point(1)],
      ],
    );
  },
  'O5/never-empty: a read that cannot be answered rejects instead of an empty answer': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.close();
    const errors = await Promise.all(readVerbs.map(({ call }) => rejection(call(store, hash))));
    assert.ok(errors.every((error) => isMempoolError(error)));
  },
});

const ownPools = mustEach({
  'O3/finalized: the status of a Finalized transaction has its block and final depth': async (context) => {
    const store = await context.open({ finalizeThreshold: 3 });
    const hash = await receiveOne(context, store);
    await block(store, 1, { seen: [hash] });
    await emptyBlocks(store, 2, 5);
    const final = { confirmations: 3, nonConfirmations: 0, confirmedAt: point(1), reason: null, notBefore: null };
    assert.deepEqual(withoutFacts(await statusOf(store, hash)), { hash, stage: 'Finalized', ...final });
  },
  'O3/left-the-log: a final hash is Unknown once its entry has left the log': async (context) => {
    const store = await context.open({ maxFinalized: 2 });
    const all = hashesOf(await receive(context, store, 3));
    await finalizeIn(store, 1, all.slice(0, 1));
    await store.drop(all.slice(1, 2), 'failed');
    const kept = await stagesOf(store, all);
    await store.drop(all.slice(2), 'failed');
    assert.deepEqual(kept, ['Finalized', 'Dropped', 'Pending']);
    assert.deepEqual(await stagesOf(store, all), ['Unknown', 'Dropped', 'Dropped']);
  },
  'O3/older-entry-trimmed: that an older entry leaves the log changes nothing': async (context) => {
    const store = await context.open({ maxFinalized: 1 });
    const one = transaction(context.random);
    await store.receive([one]);
    await store.drop([one.hash], 'invalid');
    await store.receive([one]);
    await store.drop([one.hash], 'expired');
    const { stage, reason } = await statusOf(store, one.hash);
    assert.deepEqual([stage, reason], ['Dropped', 'expired']);
  },
  'O3/live-outlives-entry: a live transaction stays when the entry of its earlier life is trimmed': async (context) => {
    const store = await context.open({ maxFinalized: 1 });
    const [one, other] = [transaction(context.random), transaction(context.random)];
    await store.receive([one, other]);
    await store.drop([one.hash], 'failed');
    await store.receive([one]);
    await store.drop([other.hash], 'failed');
    const [record] = (await store.peekPending()).transactions;
    assert.ok(record);
    assert.equal(readable(record).payload, readable(one).payload);
    assert.deepEqual(await stagesOf(store, [one.hash]), ['Pending']);
  },
});

const inFlight = eachOnPoolInFlight({
  'O3/find-order: findInflight answers in the order asked, with null for other stages': async (
    store,
    stage,
    context,
  ) => {
    const [waiting, final, gone] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    const flying = await flyOne(context, store, stage);
    await finalizeIn(store, 1, [final]);
    await store.drop([gone], 'failed');
    const asked = [flying, waiting, final, gone, context.random.hex(32), flying];
    const found = await store.findInflight(asked);
    assert.deepEqual(
      found.map((entry) => entry?.hash ?? null),
      [flying, null, null, null, null, flying],
    );
  },
});

const ownInFlight = eachInFlight({
  'O3/same-answer: checkStatus, findInflight and peekInflight give the same answer': async (context, flying) => {
    const store = await context.open();
    const hash = await flyOne(context, store, flying);
    await block(store, 1);
    const [found] = intact(await store.findInflight([hash]));
    const [peeked] = (await store.peekInflight()).transactions;
    assert.ok(found && peeked);
    const { stage, confirmations, nonConfirmations, confirmedAt, reason } = await statusOf(store, hash);
    assert.deepEqual(readable(found), readable(peeked));
    assert.deepEqual({ ...readable(found), stage, confirmations, nonConfirmations, confirmedAt }, readable(found));
    assert.equal(reason, null);
  },
});

export const statusCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...inFlight, ...ownInFlight];
