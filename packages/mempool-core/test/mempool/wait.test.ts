import { MempoolError } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { answered, block, hash, open, rest, transaction } from './tap.ts';

describe('waitFor (R3)', () => {
  it('resolves with the status when the stage is reached', async () => {
    const { pool } = await open();
    const waiting = pool.waitFor(hash(1));
    await pool.submit(transaction(1));
    expect(await answered(waiting)).toBe(false);
    await pool.confirm(block(1, 1));
    expect(await waiting).toMatchObject({
      hash: hash(1),
      stage: 'Confirmed',
      confirmations: 1,
      confirmedAt: { slot: 1 },
    });
    await pool.close();
  });

  it('resolves at once where the stage is reached already, or is behind', async () => {
    const { pool } = await open();
    await pool.submit(transaction(1));
    await pool.confirm(block(1, 1));
    expect(await pool.waitFor(hash(1), { stage: 'Propagated' })).toMatchObject({ stage: 'Confirmed' });
    await pool.close();
  });

  it('resolves at Dropped, whatever was waited for', async () => {
    const { pool } = await open();
    await pool.submit(transaction(1));
    const waiting = pool.waitFor(hash(1), { stage: 'Finalized' });
    await pool.drop(hash(1), 'unwanted');
    expect(await waiting).toMatchObject({ stage: 'Dropped', reason: 'unwanted' });
    await pool.close();
  });

  it('waits for a depth, block by block, and resolves at the block that reaches it', async () => {
    const { pool } = await open();
    await pool.submit(transaction(1));
    const waiting = pool.waitFor(hash(1), { confirmations: 3 });
    await pool.confirm(block(1, 1));
    await pool.confirm(block(2));
    expect(await answered(waiting)).toBe(false);
    await pool.confirm(block(3));
    expect(await waiting).toMatchObject({ stage: 'Confirmed', confirmations: 3 });
    await pool.close();
  });

  it('looks again only at the block that may reach the depth', async () => {
    const { pool, calls } = await open({}, { finalizeThreshold: 50 });
    await pool.submit(transaction(1));
    const waiting = pool.waitFor(hash(1), { confirmations: 20 });
    for (let n = 1; n <= 19; n++) await pool.confirm(n === 1 ? block(n, 1) : block(n));
    await rest();
    const before = calls.filter((call) => call.startsWith('checkStatus')).length;
    await pool.confirm(block(20));
    await waiting;
    const after = calls.filter((call) => call.startsWith('checkStatus')).length;
    expect(before).toBeLessThanOrEqual(3);
    expect(after - before).toBe(1);
    await pool.close();
  });

  it('counts a depth anew after a roll-back', async () => {
    const { pool } = await open();
    await pool.submit(transaction(1));
    await pool.confirm(block(1));
    const waiting = pool.waitFor(hash(1), { confirmations: 3 });
    await pool.confirm(block(2, 1));
    await pool.confirm(block(3));
    await pool.rollback(block(1).point);
    await pool.confirm(block(4));
    await pool.confirm(block(5));
    expect(await answered(waiting)).toBe(false);
    for (const n of [6, 7, 8]) await pool.confirm(block(n, 1));
    expect(await waiting).toMatchObject({ confirmations: 3, confirmedAt: { slot: 6 } });
    await pool.close();
  });

  it('keeps its depth through a roll-back that does not touch its block', async () => {
    const { pool } = await open();
    await pool.submit(transaction(1));
    await pool.confirm(block(1, 1));
    await pool.confirm(block(2));
    const waiting = pool.waitFor(hash(1), { confirmations: 4 });
    await rest();
    await pool.rollback(block(1).point);
    await pool.confirm(block(3));
    await pool.confirm(block(4));
    expect(await answered(waiting)).toBe(false);
    await pool.confirm(block(5));
    expect(await waiting).toMatchObject({ confirmations: 4 });
    await pool.close();
  });

  it('is content with Finalized where that comes before the depth', async () => {
    const { pool } = await open({}, { finalizeThreshold: 2 });
    await pool.submit(transaction(1));
    const waiting = pool.waitFor(hash(1), { confirmations: 10 });
    await pool.confirm(block(1, 1));
    await pool.confirm(block(2));
    expect(await waiting).toMatchObject({ stage: 'Finalized', confirmations: 2 });
    await pool.close();
  });

  it('misses nothing that happens between its look and the first event', async () => {
    const { pool, before } = await open();
    await pool.submit(transaction(1));
    let happened = false;
    before('checkStatus', async () => {
      if (happened) return;
      happened = true;
      await pool.store.markInflight([hash(1)]);
      await pool.store.release([hash(1)]);
    });
    expect(await pool.waitFor(hash(1), { stage: 'Propagated' })).toMatchObject({ stage: 'Propagated' });
    await pool.close();
  });

  it('does not take what was over before the call for what is to come', async () => {
    const { pool } = await open();
    await pool.receive([transaction(1), transaction(2)]);
    const other = pool.waitFor(hash(2));
    await rest();
    await pool.markInflight(hash(1));
    await pool.release(hash(1));
    const waiting = pool.waitFor(hash(1), { stage: 'Propagated' });
    expect(await answered(waiting)).toBe(false);
    await pool.markInflight(hash(1));
    await waiting;
    await pool.drop(hash(2), 'unwanted');
    await other;
    await pool.close();
  });

  it('looks again where events were lost', async () => {
    const { pool } = await open({}, { maxEvents: 1 });
    await pool.receive([transaction(1), transaction(2)]);
    const waiting = pool.waitFor(hash(1));
    await rest();
    await pool.store.confirm({ ...block(1, 1, 2), seen: [hash(1), hash(2)] });
    await pool.store.confirm(block(2));
    expect(await waiting).toMatchObject({ stage: 'Confirmed' });
    await pool.close();
  });

  it('serves all who wait with one subscription, and ends it when nobody waits', async () => {
    const { pool, calls } = await open();
    await pool.receive([1, 2, 3].map((n) => transaction(n)));
    const waiting = [1, 2, 3].map((n) => pool.waitFor(hash(n)));
    await rest();
    await pool.confirm(block(1, 1, 2, 3));
    await Promise.all(waiting);
    await pool.waitFor(hash(1), { confirmations: 1 });
    expect(calls.filter((call) => call === 'subscribe')).toHaveLength(2);
    expect(calls.filter((call) => call.startsWith('checkStatus'))).toEqual(['checkStatus 3', 'checkStatus 1']);
    await pool.close();
  });

  it('ends with the signal’s reason and leaves others waiting', async () => {
    const { pool } = await open();
    const abort = new AbortController();
    const reason = new Error('enough');
    const [gone, stays] = [pool.waitFor(hash(1), { signal: abort.signal }), pool.waitFor(hash(1))];
    abort.abort(reason);
    await expect(gone).rejects.toBe(reason);
    await pool.submit(transaction(1));
    await pool.confirm(block(1, 1));
    expect(await stays).toMatchObject({ stage: 'Confirmed' });
    await pool.close();
  });

  it('ends with CLOSED when the pool closes, after the last events', async () => {
    const { pool } = await open();
    await pool.receive([transaction(1), transaction(2)]);
    const [confirmed, waits] = [pool.waitFor(hash(1)), pool.waitFor(hash(2))];
    await rest();
    void pool.confirm(block(1, 1));
    const closing = pool.close();
    await expect(waits).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
    expect(await confirmed).toMatchObject({ stage: 'Confirmed' });
    await closing;
  });

  it('ends with what the store says where closing it fails', async () => {
    const { pool, before } = await open();
    const fault = new Error('as planned');
    before('close', () => {
      throw fault;
    });
    const waiting = pool.waitFor(hash(1));
    await rest();
    const told = await Promise.allSettled([pool.close(), waiting]);
    expect(told).toEqual(Array(2).fill({ status: 'rejected', reason: fault }));
  });

  it('fails where the first look fails, and outlives a later failure that may pass', async () => {
    const { pool, before } = await open();
    const unavailable = new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'as planned');
    let failures = 1;
    before('checkStatus', () => {
      failures -= 1;
      if (failures >= 0) throw unavailable;
    });
    await expect(pool.waitFor(hash(1))).rejects.toBe(unavailable);
    await pool.submit(transaction(1));
    const waiting = pool.waitFor(hash(1), { confirmations: 2 });
    await rest();
    failures = 1;
    await pool.confirm(block(1, 1));
    await rest();
    await pool.confirm(block(2));
    expect(await waiting).toMatchObject({ confirmations: 2 });
    await pool.close();
  });

  it.each([{ stage: 'Dropped' }, { stage: 'confirmed' }, { confirmations: -1 }, { confirmations: 1.5 }])(
    'refuses by name what cannot be waited for: %j',
    async (bad) => {
      const { pool } = await open();
      const [field] = Object.keys(bad);
      const waiting = pool.waitFor(hash(1), bad as object);
      await expect(waiting).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
      await pool.close();
    },
  );
});
