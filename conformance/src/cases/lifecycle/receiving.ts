import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, eachOnPoolInFlight, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, kindsOf, plainStatus, point, readable, withoutFacts } from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L1/arrival-order: Pending transactions are in fifo order, in one call and across calls': async (pool) => {
    const batches = [await pool.receive(7), await pool.receive(1), await pool.receive(5)];
    assert.deepEqual(await pool.pending(), hashesOf(batches.flat()));
  },
  'L1/seq-rises: each transaction gets a seq above all earlier ones': async (pool, store) => {
    const first = await store.receive(pool.transactions(3));
    const second = await store.receive(pool.transactions(3));
    const seqs = [...first, ...second].map((outcome) => (outcome.kind === 'received' ? outcome.seq : Number.NaN));
    assert.ok(seqs.every((seq, i) => Number.isSafeInteger(seq) && seq > (seqs[i - 1] ?? 0)));
  },
  'L1/seq-told: the seq of the outcome is the seq of the record': async (pool, store) => {
    const outcomes = await store.receive(pool.transactions(4));
    const seqs = outcomes.map((outcome) => (outcome.kind === 'received' ? outcome.seq : null));
    assert.deepEqual(
      (await store.peekPending()).transactions.map(({ seq }) => seq),
      seqs,
    );
  },
  'L1/seq-stays: the seq stays the same through every live stage': async (pool, store) => {
    await pool.receive(2);
    const hash = await pool.receiveOne();
    const seqs = new Set([(await store.peekPending()).transactions.at(-1)?.seq]);
    const look = async () => seqs.add((await store.findInflight([hash]))[0]?.seq);
    await pool.mark(hash);
    await look();
    await pool.acknowledge(hash);
    await look();
    await pool.block(1, { seen: [hash] });
    await look();
    assert.equal(seqs.size, 1);
  },
  'L1/stored-whole: payload and type come back as they were handed in': async (pool, store) => {
    const batch = [
      { ...pool.transaction(0), payloadType: 65_535 },
      { ...pool.transaction(1), payloadType: 0 },
      { ...pool.transaction(16_384), payloadType: 258 },
    ];
    await store.receive(batch);
    const stored = (await store.peekPending()).transactions.map(({ hash, payload, payloadType }) =>
      readable({ hash, payload, payloadType }),
    );
    assert.deepEqual(stored, batch.map(readable));
  },
  'L1/hash-lengths: a hash may have 1 byte, 64 bytes and anything between': async (pool, store) => {
    const batch = [1, 20, 32, 33, 64].map((length) => ({
      ...pool.transaction(),
      hash: pool.random.hex(length),
    }));
    await store.receive(batch);
    assert.deepEqual(await pool.pending(), hashesOf(batch));
  },
  'L1/prefix-hashes: a hash that is a prefix of another one is a different hash': async (pool, store) => {
    const long = pool.transaction();
    const short = { ...pool.transaction(), hash: long.hash.slice(0, 32) };
    await store.receive([long, short]);
    await pool.mark(short.hash);
    assert.deepEqual(await pool.stages(long.hash, short.hash), ['Pending', 'Propagated']);
  },
  'L1/fresh-record: a new record is Pending with no counters and no block': async (pool, store) => {
    await pool.receiveOne();
    const [record] = (await store.peekPending()).transactions;
    assert.ok(record);
    const { stage, confirmations, nonConfirmations, confirmedAt } = record;
    assert.deepEqual([stage, confirmations, nonConfirmations, confirmedAt], ['Pending', 0, 0, null]);
  },
  'L2/first-payload-stays: a duplicate does not replace the payload': async (pool, store) => {
    const first = pool.transaction();
    await store.receive([first]);
    await store.receive([{ ...pool.transaction(), hash: first.hash }]);
    const [{ payload, payloadType } = first] = (await store.peekPending()).transactions;
    assert.deepEqual(readable({ hash: first.hash, payload, payloadType }), readable(first));
  },
  'L2/twice-in-one-call: a hash that comes twice in one call is received once': async (pool, store) => {
    const one = pool.transaction();
    const outcomes = await store.receive([one, one]);
    assert.deepEqual(kindsOf(outcomes), ['received', 'duplicate']);
    assert.equal((await store.usage()).pending, 1);
  },
  'L2/order-of-outcomes: there is one outcome per transaction, in the order given': async (pool, store) => {
    const known = await pool.receive(2);
    const fresh = pool.transactions(2);
    const mixed = [fresh[0], known[1], fresh[1], known[0]].filter((item) => item !== undefined);
    const outcomes = await store.receive(mixed);
    assert.deepEqual(hashesOf(outcomes), hashesOf(mixed));
    assert.deepEqual(kindsOf(outcomes), ['received', 'duplicate', 'received', 'duplicate']);
  },
  'L2/duplicate-changes-nothing: a duplicate takes no seq and leaves no trace': async (pool, store) => {
    const batch = await pool.receive(3);
    const before = await pool.snapshot();
    await store.receive(batch);
    assert.deepEqual(await pool.snapshot(), before);
  },
  'L2/racing: of two racing receives of one hash one is received, the other is a duplicate': async (pool, store) => {
    const one = pool.transaction();
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
  'L2/new-life-behind: a Dropped transaction received again goes to the end of the queue': async (pool, store) => {
    const [first, ...others] = await pool.receive(3);
    assert.ok(first);
    await pool.drop(first.hash);
    await store.receive([first]);
    assert.deepEqual(await pool.pending(), hashesOf([...others, first]));
  },
  'L2/new-life-payload: a new life has the payload it was received with': async (pool, store) => {
    const old = pool.transaction();
    await store.receive([old]);
    await pool.drop(old.hash);
    const renewed = { ...pool.transaction(), hash: old.hash };
    await store.receive([renewed]);
    const [{ payload, payloadType } = old] = (await store.peekPending()).transactions;
    assert.deepEqual(readable({ hash: old.hash, payload, payloadType }), readable(renewed));
  },
  'L2/new-life-fresh: a new life has no counters or reason from the old one': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await pool.mark(one.hash);
    await pool.block(1);
    await pool.drop(one.hash);
    await store.receive([one]);
    assert.deepEqual(withoutFacts(await pool.status(one.hash)), plainStatus(one.hash, 'Pending'));
  },
  'L2/new-life-twice: within one call a new life makes the next one a duplicate': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await pool.drop(one.hash);
    const outcomes = await store.receive([one, one]);
    assert.deepEqual(kindsOf(outcomes), ['received', 'duplicate']);
  },
  'L2/duplicate-in-flight-stage: the outcome of a duplicate has its current stage': async (pool, store) => {
    const hash = await pool.propagateOne();
    await pool.acknowledge(hash);
    const outcomes = await store.receive([{ ...pool.transaction(), hash }]);
    assert.deepEqual(outcomes, [{ kind: 'duplicate', hash, stage: 'Acknowledged' }]);
  },
});

const ownPools = mustEach({
  'L2/forgotten-final: a Finalized hash that has left the log may be received again': async (context) => {
    const pool = await openPool(context, { maxFinalized: 1, finalizeThreshold: 1 });
    const [first, second] = await pool.receive(2);
    assert.ok(first && second);
    await pool.finalizeIn(1, first.hash);
    await pool.finalizeIn(2, second.hash);
    assert.equal((await pool.store.receive([first]))[0]?.kind, 'received');
  },
});

export const receivingCases: readonly ConformanceCase[] = [...onePool, ...ownPools];

const revivalOnePool = eachOnPool({
  'L7/dropped-seen: a Dropped transaction that a block carries is Confirmed by that block': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.drop(hash);
    await pool.block(1, { seen: [hash] });
    assert.deepEqual(withoutFacts(await pool.status(hash)), {
      ...plainStatus(hash, 'Confirmed'),
      confirmations: 1,
      confirmedAt: point(1),
    });
  },
  'L7/same-seq: a revived transaction has its old seq, payload and type': async (pool, store) => {
    const one = pool.transaction(200);
    await pool.receive(1);
    await store.receive([one]);
    const old = (await store.peekPending()).transactions[1];
    await pool.receive(1);
    await pool.drop(one.hash);
    await pool.block(1, { seen: [one.hash] });
    const [found] = await store.findInflight([one.hash]);
    assert.ok(old && found);
    const { seq, payloadType } = readable(found);
    assert.deepEqual([seq, payloadType, readable(found).payload], [old.seq, one.payloadType, readable(one).payload]);
  },
  'L7/counted: a revived transaction counts as confirmed': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.drop(hash);
    const outcome = await pool.block(1, { seen: [hash] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 1);
  },
  'L7/history-stays: the log entry of the drop stays as history': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.drop(hash);
    await pool.block(1, { seen: [hash] });
    assert.deepEqual(
      (await pool.logEntries()).map((entry) => [entry.hash, entry.stage, entry.reason]),
      [[hash, 'Dropped', 'failed']],
    );
  },
  'L7/jump: a revived transaction may be Finalized by the same block': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.drop(hash);
    const outcome = await pool.finalizeIn(1, hash);
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual([outcome.confirmed, outcome.finalized], [1, 1]);
  },
  'L7/given-up-again: a revived transaction named as unseen waits at its old place': async (pool) => {
    const all = await pool.receiveHashes(3);
    await pool.drop(...all.slice(0, 1));
    await pool.block(1, { seen: all.slice(0, 1) });
    await pool.block(2, { unseen: all.slice(0, 1) });
    assert.deepEqual(await pool.pending(), all);
  },
  'L7/dropped-unseen: a Dropped transaction that a block names as unseen stays Dropped': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.drop(hash);
    await pool.block(1, { unseen: [hash] });
    await pool.assertStatus(hash, { stage: 'Dropped', reason: 'failed' });
  },
  'L7/finalized-seen: a Finalized transaction that a block carries again stays as it was': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.finalizeIn(1, hash);
    const before = await pool.status(hash);
    await pool.block(2, { seen: [hash] });
    assert.deepEqual(await pool.status(hash), before);
  },
  'L7/second-life-revived: of several lives the last one is revived': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await store.drop([one.hash], 'invalid');
    const [again] = await store.receive([one]);
    await store.drop([one.hash], 'expired');
    await pool.block(1, { seen: [one.hash] });
    const [found] = await store.findInflight([one.hash]);
    assert.equal(found?.seq, again?.kind === 'received' ? again.seq : null);
  },
});

const inFlight = eachOnPoolInFlight({
  'L7/stale-seen: a transaction dropped as stale comes back when a block carries it': async (pool, stage) => {
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 2, { dropThreshold: 2 });
    await pool.block(3, { seen: [hash] });
    assert.deepEqual(await pool.stages(hash), ['Confirmed']);
  },
});

const revivalOwnPools = mustEach({
  'L7/finalized-later: a revived transaction is Finalized in due time, with a second entry': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 2 });
    const hash = await pool.receiveOne();
    await pool.drop(hash);
    await pool.block(1, { seen: [hash] });
    await pool.block(2);
    assert.deepEqual(
      (await pool.logEntries()).map((entry) => [entry.logSeq, entry.stage]),
      [
        [1, 'Dropped'],
        [2, 'Finalized'],
      ],
    );
    assert.deepEqual(await pool.stages(hash), ['Finalized']);
  },
  'L7/forgotten-drop: a Dropped transaction that has left the log is not revived': async (context) => {
    const pool = await openPool(context, { maxFinalized: 1 });
    const [a, b] = await pool.receiveHashes(2);
    await pool.drop(a);
    await pool.drop(b);
    const outcome = await pool.block(1, { seen: [a] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 0);
    assert.deepEqual(await pool.stages(a), ['Unknown']);
  },
});

export const revivalCases: readonly ConformanceCase[] = [...revivalOnePool, ...inFlight, ...revivalOwnPools];
