import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { flyingStages, mustEach } from '../../case/must.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { never } from '../../scenario/pool.ts';

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
