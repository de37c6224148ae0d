import type { TransactionStatus } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { block, hash, open, transaction } from './tap.ts';

describe('watch', () => {
  async function next(changes: AsyncIterator<TransactionStatus>): Promise<string> {
    const { value, done } = await changes.next();
    return done === true ? 'end' : `${Number.parseInt(value.hash, 16)} ${value.stage}`;
  }

  it('begins with the present status of each hash, then tells each change', async () => {
    const { pool } = await open();
    await pool.submit(transaction(1));
    const changes = pool.watch([hash(1), hash(2)])[Symbol.asyncIterator]();
    expect([await next(changes), await next(changes)]).toEqual(['1 Pending', '2 Unknown']);
    await pool.receive([transaction(2), transaction(3)]);
    await pool.markInflight([hash(1), hash(3)]);
    await pool.confirm(block(1, 1, 3));
    const told = [await next(changes), await next(changes), await next(changes)];
    expect(told).toEqual(['2 Pending', '1 Propagated', '1 Confirmed']);
    await changes.return?.();
    await pool.close();
  });

  it('tells a change made while it looked, once', async () => {
    const { pool, before } = await open();
    await pool.submit(transaction(1));
    before('checkStatus', () => void pool.store.markInflight([hash(1)]));
    const changes = pool.watch([hash(1)])[Symbol.asyncIterator]();
    expect(await next(changes)).toBe('1 Propagated');
    await pool.confirm(block(1, 1));
    expect(await next(changes)).toBe('1 Confirmed');
    await changes.return?.();
    await pool.close();
  });

  it('looks again where events were lost, and tells what is different', async () => {
    const { pool } = await open({}, { maxEvents: 1 });
    await pool.receive([transaction(1), transaction(2)]);
    const changes = pool.watch([hash(1), hash(2)])[Symbol.asyncIterator]();
    expect([await next(changes), await next(changes)]).toEqual(['1 Pending', '2 Pending']);
    await pool.markInflight(hash(1));
    await pool.confirm(block(1));
    await pool.confirm(block(2));
    expect(await next(changes)).toBe('1 Dropped');
    await changes.return?.();
    await pool.close();
  });

  it('ends at once by return, also while it waits', async () => {
    const { pool } = await open();
    const changes = pool.watch([hash(1)])[Symbol.asyncIterator]();
    await next(changes);
    const waiting = next(changes);
    await changes.return?.();
    expect(await waiting).toBe('end');
    await pool.close();
  });

  it('ends with the signal’s reason, and with the pool', async () => {
    const { pool } = await open();
    const abort = new AbortController();
    const reason = new Error('enough');
    const aborted = pool.watch([hash(1)], { signal: abort.signal })[Symbol.asyncIterator]();
    const closed = pool.watch([hash(1)])[Symbol.asyncIterator]();
    await Promise.all([next(aborted), next(closed)]);
    const waiting = [next(aborted), next(closed)] as const;
    abort.abort(reason);
    await expect(waiting[0]).rejects.toBe(reason);
    await pool.close();
    expect(await waiting[1]).toBe('end');
  });
});
