import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { never } from '../../scenario/pool.ts';

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
