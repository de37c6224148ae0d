import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachInFlight, flyingStages, mustEach } from '../../case/must.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { never, readable } from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L3/order-asked: markInflight returns what it moved, in the order asked': async (pool) => {
    const confirmed = await pool.receiveOne();
    await pool.block(1, { seen: [confirmed] });
    const flying = await pool.flyEach();
    const [a, b, c] = await pool.receiveHashes(3);
    const asked = [c, ...flying, a, confirmed, pool.random.hex(32), b];
    assert.deepEqual(await pool.mark(...asked), [c, a, b]);
    assert.deepEqual(await pool.stages(...flying, confirmed), [...flyingStages, 'Confirmed']);
  },
  'L3/named-twice: a hash named twice in one call is moved once': async (pool) => {
    const hash = await pool.receiveOne();
    assert.deepEqual(await pool.mark(hash, hash), [hash]);
  },
  'L3/leaves-the-queue: a transaction in flight is no longer in the queue': async (pool) => {
    const [a, b, c] = await pool.receiveHashes(3);
    await pool.mark(b);
    assert.deepEqual([await pool.pending(), await pool.inflight()], [[a, c], [b]]);
  },
  'L3/counts-from-the-mark: blocks before the mark do not count against a transaction': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.blocks(1, 5);
    await pool.mark(hash);
    await pool.block(6);
    assert.equal((await pool.status(hash)).nonConfirmations, 1);
  },
  'L3/same-payload: the payload in flight is the payload received': async (pool, store) => {
    const one = pool.transaction(300);
    await store.receive([one]);
    const moves = [
      () => pool.mark(one.hash),
      () => pool.acknowledge(one.hash),
      () => pool.block(1, { seen: [one.hash] }),
    ];
    for (const move of moves) {
      await move();
      const [found] = await store.findInflight([one.hash]);
      assert.ok(found);
      assert.equal(readable(found).payload, readable(one).payload);
    }
  },
  'L4/acknowledged-order: markAcknowledged returns what it moved, in the order asked': async (pool) => {
    const pending = await pool.receiveOne();
    const [a, b] = await pool.receiveHashes(2);
    await pool.mark(a, b);
    assert.deepEqual(await pool.acknowledge(b, pending, a), [b, a]);
  },
  'L4/released-order: release returns what it moved, in the order asked': async (pool) => {
    const pending = await pool.receiveOne();
    const [a, b] = await pool.receiveHashes(2);
    await pool.mark(a, b);
    await pool.acknowledge(a);
    assert.deepEqual(await pool.release(b, pending, a), [b, a]);
  },
  'L8/release-keeps-place: a released transaction waits at its old place': async (pool) => {
    const all = await pool.receiveHashes(5);
    await pool.mark(...all.slice(1, 4));
    await pool.acknowledge(...all.slice(3, 4));
    await pool.release(...all.slice(2, 4));
    assert.deepEqual(await pool.pending(), [all[0], all[2], all[3], all[4]]);
  },
  'L8/parents-first: in whatever order they return, parents stand before children': async (pool) => {
    const all = await pool.receiveHashes(6);
    await pool.mark(...all);
    await pool.acknowledge(...all.filter((_, i) => i % 2 === 0));
    for (const hash of all.toReversed()) await pool.release(hash);
    assert.deepEqual(await pool.pending(), all);
  },
  'L8/unseen-keeps-place: a transaction named as unseen by a block waits at its old place': async (pool) => {
    const all = await pool.receiveHashes(4);
    await pool.block(1, { seen: all.slice(0, 2) });
    await pool.block(2, { unseen: all.slice(0, 2) });
    assert.deepEqual(await pool.pending(), all);
  },
  'L8/rollback-keeps-place: a transaction of an undone block waits at its old place': async (pool) => {
    const all = await pool.receiveHashes(4);
    await pool.block(1);
    await pool.block(2, { seen: all.slice(0, 2) });
    await pool.receive(1);
    await pool.rollback(1);
    assert.deepEqual((await pool.pending()).slice(0, 4), all);
  },
  'L8/same-seq: the record of a returned transaction has the seq it always had': async (pool, store) => {
    await pool.receive(2);
    const [, before] = (await store.peekPending()).transactions;
    assert.ok(before);
    await pool.mark(before.hash);
    await pool.release(before.hash);
    assert.equal((await store.peekPending()).transactions[1]?.seq, before.seq);
  },
  'L10/reason: the reason of a drop is read back as it was given': async (pool, store) => {
    const hash = await pool.receiveOne();
    const reason = { app: 'nicht gültig: «fee» ✗ \u{1f4a5}' };
    await store.drop([hash], reason);
    const [entry] = await pool.logEntries();
    assert.deepEqual([(await pool.status(hash)).reason, entry?.reason], [reason, reason]);
  },
  'L10/order-asked: drop returns what it dropped, in the order asked': async (pool) => {
    const [a, b, c] = await pool.receiveHashes(3);
    const acknowledged = await pool.flyOne('Acknowledged');
    await pool.mark(b);
    await pool.block(1, { seen: [a] });
    assert.deepEqual(await pool.drop(c, pool.random.hex(32), acknowledged, a, b), [c, acknowledged, b]);
  },
  'L10/only-named: only the transactions named are dropped': async (pool) => {
    const [a, b, c] = await pool.receiveHashes(3);
    await pool.drop(b);
    assert.deepEqual(await pool.stages(a, b, c), ['Pending', 'Dropped', 'Pending']);
  },
  'L10/final-stays: a Finalized or Dropped transaction gets no second log entry': async (pool, store) => {
    const [a, b] = await pool.receiveHashes(2);
    await pool.finalizeIn(1, a);
    await store.drop([b], 'invalid');
    const made = await pool.eventsOf(() => store.drop([a, b], 'expired'));
    assert.deepEqual([made, (await pool.logEntries()).length], [[], 2]);
  },
});

const ownPools = mustEach({
  'L4/after-many-blocks: an acknowledgement counts after any number of blocks': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.propagateOne();
    await pool.blocks(1, 12);
    assert.deepEqual(await pool.acknowledge(hash), [hash]);
    assert.equal((await pool.status(hash)).stage, 'Acknowledged');
  },
  'L4/keeps-age: an acknowledgement does not reset the age': async (context) => {
    const pool = await openPool(context, never);
    const hash = await pool.propagateOne();
    await pool.blocks(1, 3);
    await pool.acknowledge(hash);
    await pool.block(4);
    assert.equal((await pool.status(hash)).nonConfirmations, 4);
  },
});

const ownInFlight = eachInFlight({
  'L4/release-clears-age: a transaction released and marked again counts from the new mark': async (context, stage) => {
    const pool = await openPool(context, never);
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 4);
    await pool.release(hash);
    await pool.mark(hash);
    assert.equal((await pool.status(hash)).nonConfirmations, 0);
  },
  'L10/age-frozen: a dropped transaction keeps the age it had': async (context, stage) => {
    const pool = await openPool(context, never);
    const hash = await pool.flyOne(stage);
    await pool.blocks(1, 3);
    await pool.drop(hash);
    await pool.blocks(4, 6);
    assert.equal((await pool.status(hash)).nonConfirmations, 3);
  },
});

export const propagationCases: readonly ConformanceCase[] = [...onePool, ...ownPools, ...ownInFlight];
