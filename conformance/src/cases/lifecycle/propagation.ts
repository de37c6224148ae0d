import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, eachOnPool, flyingStages, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  eventsOf,
  finalizeIn,
  flyEach,
  flyOne,
  hashesOf,
  inflightOrder,
  intact,
  logEntries,
  never,
  pendingOrder,
  point,
  propagateOne,
  readable,
  receive,
  receiveOne,
  stagesOf,
  statusOf,
  transaction,
} from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L3/order-asked: markInflight returns what it moved, in the order asked': async (store, context) => {
    const confirmed = await receiveOne(context, store);
    await block(store, 1, { seen: [confirmed] });
    const flying = await flyEach(context, store);
    const [a, b, c] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    const asked = [c, ...flying, a, confirmed, context.random.hex(32), b];
    assert.deepEqual(await store.markInflight(asked), [c, a, b]);
    assert.deepEqual(await stagesOf(store, [...flying, confirmed]), [...flyingStages, 'Confirmed']);
  },
  'L3/named-twice: a hash named twice in one call is moved once': async (store, context) => {
    const hash = await receiveOne(context, store);
    assert.deepEqual(await store.markInflight([hash, hash]), [hash]);
  },
  'L3/leaves-the-queue: a transaction in flight is no longer in the queue': async (store, context) => {
    const [a, b, c] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    await store.markInflight([b]);
    assert.deepEqual([await pendingOrder(store), await inflightOrder(store)], [[a, c], [b]]);
  },
  'L3/counts-from-the-mark: blocks before the mark do not count against a transaction': async (store, context) => {
    const hash = await receiveOne(context, store);
    await emptyBlocks(store, 1, 5);
    await store.markInflight([hash]);
    await block(store, 6);
    assert.equal((await statusOf(store, hash)).nonConfirmations, 1);
  },
  'L3/same-payload: the payload in flight is the payload received': async (store, context) => {
    const one = transaction(context.random, 300);
    await store.receive([one]);
    const moves = [
      () => store.markInflight([one.hash]),
      () => store.markAcknowledged([one.hash]),
      () => block(store, 1, { seen: [one.hash] }),
    ];
    for (const move of moves) {
      await move();
      const [found] = intact(await store.findInflight([one.hash]));
      assert.ok(found);
      assert.equal(readable(found).payload, readable(one).payload);
    }
  },
  'L4/acknowledged-order: markAcknowledged returns what it moved, in the order asked': async (store, context) => {
    const pending = await receiveOne(context, store);
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    await store.markInflight([a, b]);
    assert.deepEqual(await store.markAcknowledged([b, pending, a]), [b, a]);
  },
  'L4/released-order: release returns what it moved, in the order asked': async (store, context) => {
    const pending = await receiveOne(context, store);
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    await store.markInflight([a, b]);
    await store.markAcknowledged([a]);
    assert.deepEqual(await store.release([b, pending, a]), [b, a]);
  },
  'L8/release-keeps-place: a released transaction waits at its old place': async (store, context) => {
    const all = hashesOf(await receive(context, store, 5));
    await store.markInflight(all.slice(1, 4));
    await store.markAcknowledged(all.slice(3, 4));
    await store.release(all.slice(2, 4));
    assert.deepEqual(await pendingOrder(store), [all[0], all[2], all[3], all[4]]);
  },
  'L8/parents-first: in whatever order they return, parents stand before children': async (store, context) => {
    const all = hashesOf(await receive(context, store, 6));
    await store.markInflight(all);
    await store.markAcknowledged(all.filter((_, i) => i % 2 === 0));
    for (const hash of all.toReversed()) await store.release([hash]);
    assert.deepEqual(await pendingOrder(store), all);
  },
  'L8/unseen-keeps-place: a transaction named as unseen by a block waits at its old place': async (store, context) => {
    const all = hashesOf(await receive(context, store, 4));
    await block(store, 1, { seen: all.slice(0, 2) });
    await block(store, 2, { unseen: all.slice(0, 2) });
    assert.deepEqual(await pendingOrder(store), all);
  },
  'L8/rollback-keeps-place: a transaction of an undone block waits at its old place': async (store, context) => {
    const all = hashesOf(await receive(context, store, 4));
    await block(store, 1);
    await block(store, 2, { seen: all.slice(0, 2) });
    await receive(context, store, 1);
    await store.rollback(point(1));
    assert.deepEqual((await pendingOrder(store)).slice(0, 4), all);
  },
  'L8/same-seq: the record of a returned transaction has the seq it always had': async (store, context) => {
    await receive(context, store, 2);
    const [, before] = (await store.peekPending()).transactions;
    assert.ok(before);
    await store.markInflight([before.hash]);
    await store.release([before.hash]);
    assert.equal((await store.peekPending()).transactions[1]?.seq, before.seq);
  },
  'L10/reason: the reason of a drop is read back as it was given': async (store, context) => {
    const hash = await receiveOne(context, store);
    const reason = { app: 'nicht gültig: «fee» ✗ \u{1f4a5}' };
    await store.drop([hash], reason);
    const [entry] = await logEntries(store);
    assert.deepEqual([(await statusOf(store, hash)).reason, entry?.reason], [reason, reason]);
  },
  'L10/order-asked: drop returns what it dropped, in the order asked': async (store, context) => {
    const [a, b, c] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    const acknowledged = await flyOne(context, store, 'Acknowledged');
    await store.markInflight([b]);
    await block(store, 1, { seen: [a] });
    assert.deepEqual(await store.drop([c, context.random.hex(32), acknowledged, a, b], 'failed'), [c, acknowledged, b]);
  },
  'L10/only-named: only the transactions named are dropped': async (store, context) => {
    const [a, b, c] = hashesOf(await receive(context, store, 3)) as [string, string, string];
    await store.drop([b], 'failed');
    assert.deepEqual(await stagesOf(store, [a, b, c]), ['Pending', 'Dropped', 'Pending']);
  },
  'L10/final-stays: a Finalized or Dropped transaction gets no second log entry': async (store, context) => {
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    await finalizeIn(store, 1, [a]);
    await store.drop([b], 'invalid');
    const made = await eventsOf(context, store, () => store.drop([a, b], 'expired'));
    assert.deepEqual([made, (await logEntries(store)).length], [[], 2]);
  },
});

const ownPools = mustEach({
  'L4/after-many-blocks: an acknowledgement counts after any number of blocks': async (context) => {
    const store = await context.open(never);
    const hash = await propagateOne(context, store);
    await emptyBlocks(store, 1, 12);
    assert.deepEqual(await store.markAcknowledged([hash]), [hash]);
    assert.equal((await statusOf(store, hash)).stage, 'Acknowledged');
  },
  'L4/keeps-age: an acknowledgement does not reset the age': async (context) => {
    const store = await context.open(never);
    const hash = await propagateOne(context, store);
    await emptyBlocks(store, 1, 3);
    await store.markAcknowledged([hash]);
    await block(store, 4);
    assert.equal((await statusOf(store, hash)).nonConfirmations, 4);
  },
});

const ownInFlight = eachInFlight({
  'L4/release-clears-age: a transaction released and marked again counts from the new mark': async (context, stage) => {
    const store = await context.open(never);
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 4);
    await store.release([hash]);
    await store.markInflight([hash]);
    assert.equal((await statusOf(store, hash)).nonConfirmations, 0);
  },
  'L10/age-frozen: a dropped transaction keeps the age it had': async (context, stage) => {
    const store = await context.open(never);
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 3);
    await store.drop([hash], 'failed');
    await emptyBlocks(store, 4, 6);
    assert.equal((await statusOf(store, hash)).nonConfirmations, 3);
  },
});

export const propagationCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...ownInFlight];
