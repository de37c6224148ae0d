import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, mustEach } from '../../case/must.ts';
import { eachOnPool, eachOnPoolInFlight, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, point, readable, unknownStatus, withoutFacts } from '../../scenario/pool.ts';
import { readVerbs, rejection } from '../../scenario/verb-call.ts';

const onePool = eachOnPool({
  'O3/order-asked: checkStatus answers in the order asked, repeated and unknown hashes too': async (pool, store) => {
    const [a, b] = await pool.receiveHashes(2);
    const foreign = pool.random.hex(32);
    await pool.mark(b);
    const asked = [b, foreign, a, b];
    const told = await store.checkStatus(asked);
    assert.deepEqual(hashesOf(told), asked);
    assert.deepEqual(
      told.map(({ stage }) => stage),
      ['Propagated', 'Unknown', 'Pending', 'Propagated'],
    );
  },
  'O3/unknown: a hash that the pool does not know has no counters, block or reason': async (pool) => {
    await pool.blocks(1, 3);
    const hash = pool.random.hex(20);
    assert.deepEqual(await pool.status(hash), unknownStatus(hash));
  },
  'O3/latest-entry: if a hash has several log entries, the latest counts': async (pool, store) => {
    const one = pool.transaction();
    for (const reason of ['failed', { app: 'second' }, { app: 'third' }] as const) {
      await store.receive([one]);
      await store.drop([one.hash], reason);
    }
    assert.deepEqual((await pool.status(one.hash)).reason, { app: 'third' });
  },
  'O3/live-counts: a live transaction counts, not the log entry of its earlier life': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await pool.drop(one.hash);
    await store.receive([one]);
    await pool.mark(one.hash);
    await pool.assertStatus(one.hash, { stage: 'Propagated', reason: null });
  },
  'O3/find-each-stage: findInflight finds Propagated, Acknowledged and Confirmed ones': async (pool, store) => {
    const [a, b, c] = await pool.receiveHashes(3);
    await pool.mark(a, b);
    await pool.acknowledge(b);
    await pool.block(1, { seen: [c] });
    const found = await store.findInflight([a, b, c]);
    assert.deepEqual(
      found.map((entry) => [entry?.stage, entry?.confirmations, entry?.nonConfirmations, entry?.confirmedAt]),
      [
        ['Propagated', 0, 1, null],
        ['Acknowledged', 0, 1, null],
        ['Confirmed', 1, 0, point(1)],
      ],
    );
  },
  'O5/never-empty: a read that cannot be answered rejects instead of an empty answer': async (pool, store) => {
    const hash = await pool.receiveOne();
    await store.close();
    const errors = await Promise.all(readVerbs.map(({ call }) => rejection(call(store, hash))));
    assert.ok(errors.every((error) => isMempoolError(error)));
  },
});

const ownPools = mustEach({
  'O3/finalized: the status of a Finalized transaction has its block and final depth': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 3 });
    const hash = await pool.receiveOne();
    await pool.block(1, { seen: [hash] });
    await pool.blocks(2, 5);
    const final = { confirmations: 3, nonConfirmations: 0, confirmedAt: point(1), reason: null, notBefore: null };
    assert.deepEqual(withoutFacts(await pool.status(hash)), { hash, stage: 'Finalized', ...final });
  },
  'O3/left-the-log: a final hash is Unknown once its entry has left the log': async (context) => {
    const pool = await openPool(context, { maxFinalized: 2 });
    const all = await pool.receiveHashes(3);
    await pool.finalizeIn(1, ...all.slice(0, 1));
    await pool.drop(...all.slice(1, 2));
    const kept = await pool.stages(...all);
    await pool.drop(...all.slice(2));
    assert.deepEqual(kept, ['Finalized', 'Dropped', 'Pending']);
    assert.deepEqual(await pool.stages(...all), ['Unknown', 'Dropped', 'Dropped']);
  },
  'O3/older-entry-trimmed: that an older entry leaves the log changes nothing': async (context) => {
    const pool = await openPool(context, { maxFinalized: 1 });
    const one = pool.transaction();
    await pool.store.receive([one]);
    await pool.store.drop([one.hash], 'invalid');
    await pool.store.receive([one]);
    await pool.store.drop([one.hash], 'expired');
    await pool.assertStatus(one.hash, { stage: 'Dropped', reason: 'expired' });
  },
  'O3/live-outlives-entry: a live transaction stays when the entry of its earlier life is trimmed': async (context) => {
    const pool = await openPool(context, { maxFinalized: 1 });
    const [one, other] = [pool.transaction(), pool.transaction()];
    await pool.store.receive([one, other]);
    await pool.drop(one.hash);
    await pool.store.receive([one]);
    await pool.drop(other.hash);
    const [record] = (await pool.store.peekPending()).transactions;
    assert.ok(record);
    assert.equal(readable(record).payload, readable(one).payload);
    assert.deepEqual(await pool.stages(one.hash), ['Pending']);
  },
});

const inFlight = eachOnPoolInFlight({
  'O3/find-order: findInflight answers in the order asked, with null for other stages': async (pool, stage, store) => {
    const [waiting, final, gone] = await pool.receiveHashes(3);
    const flying = await pool.flyOne(stage);
    await pool.finalizeIn(1, final);
    await pool.drop(gone);
    const asked = [flying, waiting, final, gone, pool.random.hex(32), flying];
    const found = await store.findInflight(asked);
    assert.deepEqual(
      found.map((entry) => entry?.hash ?? null),
      [flying, null, null, null, null, flying],
    );
  },
});

const ownInFlight = eachInFlight({
  'O3/same-answer: checkStatus, findInflight and peekInflight give the same answer': async (context, flying) => {
    const pool = await openPool(context);
    const hash = await pool.flyOne(flying);
    await pool.block(1);
    const [found] = await pool.store.findInflight([hash]);
    const [peeked] = (await pool.store.peekInflight()).transactions;
    assert.ok(found && peeked);
    const { stage, confirmations, nonConfirmations, confirmedAt, reason } = await pool.status(hash);
    assert.deepEqual(readable(found), readable(peeked));
    assert.deepEqual({ ...readable(found), stage, confirmations, nonConfirmations, confirmedAt }, readable(found));
    assert.equal(reason, null);
  },
});

export const statusCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...inFlight, ...ownInFlight];
