import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool, eachOnPoolInFlight, mustEach } from '../../case/must.ts';
import {
  block,
  emptyBlocks,
  finalizeIn,
  flyOne,
  hashesOf,
  intact,
  kindsOf,
  logEntries,
  pendingOrder,
  plainStatus,
  point,
  propagateOne,
  readable,
  receive,
  receiveOne,
  snapshot,
  stagesOf,
  statusOf,
  transaction,
  transactions,
  withoutFacts,
} from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L1/arrival-order: Pending transactions are in fifo order, in one call and across calls': async (store, context) => {
    const batches = [
      await receive(context, store, 7),
      await receive(context, store, 1),
      await receive(context, store, 5),
    ];
    assert.deepEqual(await pendingOrder(store), hashesOf(batches.flat()));
  },
  'L1/seq-rises: each transaction gets a seq above all earlier ones': async (store, context) => {
    const first = await store.receive(transactions(context.random, 3));
    const second = await store.receive(transactions(context.random, 3));
    const seqs = [...first, ...second].map((outcome) => (outcome.kind === 'received' ? outcome.seq : Number.NaN));
    assert.ok(seqs.every((seq, i) => Number.isSafeInteger(seq) && seq > (seqs[i - 1] ?? 0)));
  },
  'L1/seq-told: the seq of the outcome is the seq of the record': async (store, context) => {
    const outcomes = await store.receive(transactions(context.random, 4));
    const seqs = outcomes.map((outcome) => (outcome.kind === 'received' ? outcome.seq : null));
    assert.deepEqual(
      (await store.peekPending()).transactions.map(({ seq }) => seq),
      seqs,
    );
  },
  'L1/seq-stays: the seq stays the same through every live stage': async (store, context) => {
    await receive(context, store, 2);
    const hash = await receiveOne(context, store);
    const seqs = new Set([(await store.peekPending()).transactions.at(-1)?.seq]);
    const look = async () => seqs.add(intact(await store.findInflight([hash]))[0]?.seq);
    await store.markInflight([hash]);
    await look();
    await store.markAcknowledged([hash]);
    await look();
    await block(store, 1, { seen: [hash] });
    await look();
    assert.equal(seqs.size, 1);
  },
  'L1/stored-whole: payload and type come back as they were handed in': async (store, context) => {
    const batch = [
      { ...transaction(context.random, 0), payloadType: 65_535 },
      { ...transaction(context.random, 1), payloadType: 0 },
      { ...transaction(context.random, 16_384), payloadType: 258 },
    ];
    await store.receive(batch);
    const stored = (await store.peekPending()).transactions.map(({ hash, payload, payloadType }) =>
      readable({ hash, payload, payloadType }),
    );
    assert.deepEqual(stored, batch.map(readable));
  },
  'L1/hash-lengths: a hash may have 1 byte, 64 bytes and anything between': async (store, context) => {
    const batch = [1, 20, 32, 33, 64].map((length) => ({
      ...transaction(context.random),
      hash: context.random.hex(length),
    }));
    await store.receive(batch);
    assert.deepEqual(await pendingOrder(store), hashesOf(batch));
  },
  'L1/prefix-hashes: a hash that is a prefix of another one is a different hash': async (store, context) => {
    const long = transaction(context.random);
    const short = { ...transaction(context.random), hash: long.hash.slice(0, 32) };
    await store.receive([long, short]);
    await store.markInflight([short.hash]);
    assert.deepEqual(await stagesOf(store, [long.hash, short.hash]), ['Pending', 'Propagated']);
  },
  'L1/fresh-record: a new record is Pending with no counters and no block': async (store, context) => {
    await receiveOne(context, store);
    const [record] = (await store.peekPending()).transactions;
    assert.ok(record);
    const { stage, confirmations, nonConfirmations, confirmedAt } = record;
    assert.deepEqual([stage, confirmations, nonConfirmations, confirmedAt], ['Pending', 0, 0, null]);
  },
  'L2/first-payload-stays: a duplicate does not replace the payload': async (store, context) => {
    const first = transaction(context.random);
    await store.receive([first]);
    await store.receive([{ ...transaction(context.random), hash: first.hash }]);
    const [{ payload, payloadType } = first] = (await store.peekPending()).transactions;
    assert.deepEqual(readable({ hash: first.hash, payload, payloadType }), readable(first));
  },
  'L2/twice-in-one-call: a hash that comes twice in one call is received once': async (store, context) => {
    const one = transaction(context.random);
    const outcomes = await store.receive([one, one]);
    assert.deepEqual(kindsOf(outcomes), ['received', 'duplicate']);
    assert.equal((await store.usage()).pending, 1);
  },
  'L2/order-of-outcomes: there is one outcome per transaction, in the order given': async (store, context) => {
    const known = await receive(context, store, 2);
    const fresh = transactions(context.random, 2);
    const mixed = [fresh[0], known[1], fresh[1], known[0]].filter((item) => item !== undefined);
    const outcomes = await store.receive(mixed);
    assert.deepEqual(hashesOf(outcomes), hashesOf(mixed));
    assert.deepEqual(kindsOf(outcomes), ['received', 'duplicate', 'received', 'duplicate']);
  },
  'L2/duplicate-changes-nothing: a duplicate takes no seq and leaves no trace': async (store, context) => {
    const batch = await receive(context, store, 3);
    const before = await snapshot(store);
    await store.receive(batch);
    assert.deepEqual(await snapshot(store), before);
  },
  'L2/racing: of two racing receives of one hash one is received, the other is a duplicate': async (store, context) => {
    const one = transaction(context.random);
    const racing = await Promise.all([store.receive([one]), store.receive([one])]);
    assert.deepEqual(
      racing
        .flat()
        .map(({ kind }) => kind)
        .sort(),
      ['duplicate', 'received'],
    );
    assert.equal((await store.usage()).pending, 1);
  },
  'L2/new-life-behind: a Dropped transaction received again goes to the end of the queue': async (store, context) => {
    const [first, ...others] = await receive(context, store, 3);
    assert.ok(first);
    await store.drop([first.hash], 'failed');
    await store.receive([first]);
    assert.deepEqual(await pendingOrder(store), hashesOf([...others, first]));
  },
  'L2/new-life-payload: a new life has the payload it was received with': async (store, context) => {
    const old = transaction(context.random);
    await store.receive([old]);
    await store.drop([old.hash], 'failed');
    const renewed = { ...transaction(context.random), hash: old.hash };
    await store.receive([renewed]);
    const [{ payload, payloadType } = old] = (await store.peekPending()).transactions;
    assert.deepEqual(readable({ hash: old.hash, payload, payloadType }), readable(renewed));
  },
  'L2/new-life-fresh: a new life has no counters or reason from the old one': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.markInflight([one.hash]);
    await block(store, 1);
    await store.drop([one.hash], 'failed');
    await store.receive([one]);
    assert.deepEqual(withoutFacts(await statusOf(store, one.hash)), plainStatus(one.hash, 'Pending'));
  },
  'L2/new-life-twice: within one call a new life makes the next one a duplicate': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.drop([one.hash], 'failed');
    const outcomes = await store.receive([one, one]);
    assert.deepEqual(kindsOf(outcomes), ['received', 'duplicate']);
  },
  'L2/duplicate-in-flight-stage: the outcome of a duplicate has its current stage': async (store, context) => {
    const hash = await propagateOne(context, store);
    await store.markAcknowledged([hash]);
    const outcomes = await store.receive([{ ...transaction(context.random), hash }]);
    assert.deepEqual(outcomes, [{ kind: 'duplicate', hash, stage: 'Acknowledged' }]);
  },
});

const ownPools = mustEach({
  'L2/forgotten-final: a Finalized hash that has left the log may be received again': async (context) => {
    const store = await context.open({ maxFinalized: 1, finalizeThreshold: 1 });
    const [first, second] = await receive(context, store, 2);
    assert.ok(first && second);
    await finalizeIn(store, 1, [first.hash]);
    await finalizeIn(store, 2, [second.hash]);
    assert.equal((await store.receive([first]))[0]?.kind, 'received');
  },
});

export const receivingCases: readonly ConformanceCase[] = [...onePool, ...ownPools];

const revivalOnePool = eachOnPool({
  'L7/dropped-seen: a Dropped transaction that a block carries is Confirmed by that block': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'failed');
    await block(store, 1, { seen: [hash] });
    assert.deepEqual(withoutFacts(await statusOf(store, hash)), {
      ...plainStatus(hash, 'Confirmed'),
      confirmations: 1,
      confirmedAt: point(1),
    });
  },
  'L7/same-seq: a revived transaction has its old seq, payload and type': async (store, context) => {
    const one = transaction(context.random, 200);
    await receive(context, store, 1);
    await store.receive([one]);
    const old = (await store.peekPending()).transactions[1];
    await receive(context, store, 1);
    await store.drop([one.hash], 'failed');
    await block(store, 1, { seen: [one.hash] });
    const [found] = intact(await store.findInflight([one.hash]));
    assert.ok(old && found);
    const { seq, payloadType } = readable(found);
    assert.deepEqual([seq, payloadType, readable(found).payload], [old.seq, one.payloadType, readable(one).payload]);
  },
  'L7/counted: a revived transaction counts as confirmed': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'failed');
    const outcome = await block(store, 1, { seen: [hash] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 1);
  },
  'L7/history-stays: the log entry of the drop stays as history': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'failed');
    await block(store, 1, { seen: [hash] });
    assert.deepEqual(
      (await logEntries(store)).map((entry) => [entry.hash, entry.stage, entry.reason]),
      [[hash, 'Dropped', 'failed']],
    );
  },
  'L7/jump: a revived transaction may be Finalized by the same block': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'failed');
    const outcome = await finalizeIn(store, 1, [hash]);
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.confirmed, outcome.finalized], [1, 1]);
  },
  'L7/given-up-again: a revived transaction named as unseen waits at its old place': async (store, context) => {
    const all = hashesOf(await receive(context, store, 3));
    await store.drop(all.slice(0, 1), 'failed');
    await block(store, 1, { seen: all.slice(0, 1) });
    await block(store, 2, { unseen: all.slice(0, 1) });
    assert.deepEqual(await pendingOrder(store), all);
  },
  'L7/dropped-unseen: a Dropped transaction that a block names as unseen stays Dropped': async (store, context) => {
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'failed');
    await block(store, 1, { unseen: [hash] });
    const { stage, reason } = await statusOf(store, hash);
    assert.deepEqual([stage, reason], ['Dropped', 'failed']);
  },
  'L7/finalized-seen: a Finalized transaction that a block carries again stays as it was': async (store, context) => {
    const hash = await receiveOne(context, store);
    await finalizeIn(store, 1, [hash]);
    const before = await statusOf(store, hash);
    await block(store, 2, { seen: [hash] });
    assert.deepEqual(await statusOf(store, hash), before);
  },
  'L7/second-life-revived: of several lives the last one is revived': async (store, context) => {
    const one = transaction(context.random);
    await store.receive([one]);
    await store.drop([one.hash], 'invalid');
    const [again] = await store.receive([one]);
    await store.drop([one.hash], 'expired');
    await block(store, 1, { seen: [one.hash] });
    const [found] = intact(await store.findInflight([one.hash]));
    assert.equal(found?.seq, again?.kind === 'received' ? again.seq : null);
  },
});

const inFlight = eachOnPoolInFlight({
  'L7/stale-seen: a transaction dropped as stale comes back when a block carries it': async (store, stage, context) => {
    const hash = await flyOne(context, store, stage);
    await emptyBlocks(store, 1, 2, { dropThreshold: 2 });
    await block(store, 3, { seen: [hash] });
    assert.deepEqual(await stagesOf(store, [hash]), ['Confirmed']);
  },
});

const revivalOwnPools = mustEach({
  'L7/finalized-later: a revived transaction is Finalized in due time, with a second entry': async (context) => {
    const store = await context.open({ finalizeThreshold: 2 });
    const hash = await receiveOne(context, store);
    await store.drop([hash], 'failed');
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
    await store.drop([a], 'failed');
    await store.drop([b], 'failed');
    const outcome = await block(store, 1, { seen: [a] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 0);
    assert.deepEqual(await stagesOf(store, [a]), ['Unknown']);
  },
});

export const revivalCases: readonly ConformanceCase[] = [...revivalOnePool, ...inFlight, ...revivalOwnPools];
