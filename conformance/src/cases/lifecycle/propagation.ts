import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { never, plainStatus, withoutFacts } from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L3/named-twice: a hash named twice in one call is moved once': async (pool) => {
    const hash = await pool.receiveOne();
    assert.deepEqual(await pool.mark(hash, hash), [hash]);
  },
  'L4/released-order: release returns what it moved, in the order asked': async (pool) => {
    const pending = await pool.receiveOne();
    const [a, b] = await pool.receiveHashes(2);
    await pool.mark(a, b);
    await pool.acknowledge(a);
    assert.deepEqual(await pool.release(b, pending, a), [b, a]);
  },
  'L15/completed: a completed transaction is Finalized without a block, and a repeat changes nothing': async (
    pool,
    store,
  ) => {
    await pool.block(1);
    const [sent = '', acknowledged = ''] = await pool.flyEach();
    const waiting = await pool.receiveOne();
    await pool.block(2);
    const named = [acknowledged, waiting, sent];
    const events = await pool.eventsOf(async () => {
      assert.deepEqual(await pool.complete(...named), [acknowledged, sent]);
      assert.deepEqual(await pool.complete(...named), []);
    });
    const counters = { confirmations: 0, nonConfirmations: 1 };
    for (const hash of [sent, acknowledged])
      assert.deepEqual(withoutFacts(await pool.status(hash)), { ...plainStatus(hash, 'Finalized'), ...counters });
    const told = events.map((event) => event.kind === 'transaction' && [event.cause, event.hash, event.point]);
    assert.deepEqual(told, [
      ['completed', sent, null],
      ['completed', acknowledged, null],
    ]);
    const logged = (await pool.logEntries()).map(({ hash, stage, point, reason }) => [hash, stage, point, reason]);
    assert.deepEqual(logged, [
      [sent, 'Finalized', null, null],
      [acknowledged, 'Finalized', null, null],
    ]);
    const { pending, propagated, acknowledged: peers, confirmed } = await store.usage();
    assert.deepEqual([pending, propagated, peers, confirmed], [1, 0, 0, 0]);
  },
  'L15/stays: neither a block nor a rollback changes a completed transaction': async (pool, store) => {
    await pool.blocks(1, 2);
    const hashes = await pool.flyEach();
    await pool.complete(...hashes);
    await pool.block(3, { seen: hashes, unseen: [] });
    await pool.block(4, { unseen: hashes });
    const outcome = await store.rollback('origin');
    assert.deepEqual(outcome.kind === 'rolled-back' && outcome.returned, 0);
    assert.deepEqual(await pool.stages(...hashes), ['Finalized', 'Finalized']);
    assert.deepEqual(
      (await pool.statuses(hashes)).map(({ confirmedAt }) => confirmedAt),
      [null, null],
    );
  },
  'L8/unseen-keeps-place: a transaction named as unseen by a block waits at its old place': async (pool) => {
    const all = await pool.receiveHashes(4);
    await pool.block(1, { seen: all.slice(0, 2) });
    await pool.block(2, { unseen: all.slice(0, 2) });
    assert.deepEqual(await pool.pending(), all);
  },
  'L10/reason: the reason of a drop is read back as it was given': async (pool, store) => {
    const hash = await pool.receiveOne();
    const reason = { app: 'nicht gültig: «fee» ✗ \u{1f4a5}' };
    await store.drop([hash], reason);
    const [entry] = await pool.logEntries();
    assert.deepEqual([(await pool.status(hash)).reason, entry?.reason], [reason, reason]);
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
});

export const propagationCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
