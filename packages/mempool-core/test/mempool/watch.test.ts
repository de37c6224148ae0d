import type { Mempool, TransactionStatus } from 'mempool-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { block, filled, hash, hashes, once, open, transaction } from './tap.ts';

function watch(pool: Mempool, numbers: readonly number[], signal?: AbortSignal): AsyncIterator<TransactionStatus> {
  const changes = pool.watch(hashes(...numbers), { signal })[Symbol.asyncIterator]();
  onTestFinished(async () => void (await changes.return?.()));
  return changes;
}

async function next(changes: AsyncIterator<TransactionStatus>): Promise<string> {
  const { value, done } = await changes.next();
  return done === true ? 'end' : `${Number.parseInt(value.hash, 16)} ${value.stage}`;
}

describe('watch', () => {
  it('begins with the present status of each hash, then tells each change', async () => {
    const { pool } = await filled(1);
    const changes = watch(pool, [1, 2]);
    expect([await next(changes), await next(changes)]).toEqual(['1 Pending', '2 Unknown']);
    await pool.receive([transaction(2), transaction(3)]);
    await pool.markInflight(hashes(1, 3));
    await pool.confirm(block(1, 1, 3));
    const told = [await next(changes), await next(changes), await next(changes)];
    expect(told).toEqual(['2 Pending', '1 Propagated', '1 Confirmed']);
  });

  it('tells a change made while it looked, once', async () => {
    const { pool, before } = await filled(1);
    before('checkStatus', () => void pool.markInflight(hashes(1)));
    const changes = watch(pool, [1]);
    expect(await next(changes)).toBe('1 Propagated');
    await pool.confirm(block(1, 1));
    expect(await next(changes)).toBe('1 Confirmed');
  });

  it('that looked up what its stream tells later does not tell it twice, nor backwards', async () => {
    const { pool, holdEvents } = await filled(1, 2);
    const release = holdEvents();
    const changes = watch(pool, [1]);
    await next(changes);
    await pool.markInflight(hash(1));
    await pool.release(hash(1));
    await pool.drop(hash(1), 'failed');
    release();
    const told = [await next(changes), await next(changes), await next(changes)];
    expect(told).toEqual(['1 Propagated', '1 Pending', '1 Dropped']);
  });

  it('takes what was over when it looked for what it is', async () => {
    const { pool, before } = await filled(1);
    const move = once(async () => {
      await pool.markInflight(hashes(1));
      await pool.markAcknowledged(hashes(1));
    });
    before('checkStatus', move);
    const changes = watch(pool, [1]);
    expect(await next(changes)).toBe('1 Acknowledged');
    await pool.drop(hash(1), 'failed');
    expect(await next(changes)).toBe('1 Dropped');
  });

  it.each([
    { when: 'before', told: ['1 Pending', '1 Dropped', '1 Pending'] },
    { when: 'after', told: ['1 Dropped', '1 Pending'] },
  ] as const)(
    'ends at the new life of a hash that left the log and came back just $when the status was read',
    async ({ when, told }) => {
      const { pool, other: store, before } = await open({}, { maxFinalized: 1 });
      await pool.receive([transaction(1), transaction(2)]);
      const end = once(async () => void (await store.drop(hashes(1), 'failed')));
      const again = once(async () => {
        await store.drop(hashes(2), 'failed');
        await store.receive([transaction(1)]);
      });
      before('checkStatus', async () => {
        await end();
        if (when === 'before') await again();
      });
      before('usage', again);
      const changes = watch(pool, [1]);
      const heard: string[] = [];
      while (heard.length < told.length) heard.push(await next(changes));
      expect(heard).toEqual(told);
    },
  );

  it('looks again where events were lost, and tells what is different', async () => {
    const { pool } = await open({}, { maxEvents: 1 });
    await pool.receive([transaction(1), transaction(2)]);
    const changes = watch(pool, [1, 2]);
    expect([await next(changes), await next(changes)]).toEqual(['1 Pending', '2 Pending']);
    await pool.markInflight(hash(1));
    for (const n of [1, 2]) await pool.confirm(block(n), { dropThreshold: 2 });
    expect(await next(changes)).toBe('1 Dropped');
  });

  it('ends at once by return, also while it waits', async () => {
    const { pool } = await open();
    const changes = watch(pool, [1]);
    await next(changes);
    const waiting = next(changes);
    await changes.return?.();
    expect(await waiting).toBe('end');
  });

  it('ends with the signal’s reason, and with the pool', async () => {
    const { pool } = await open();
    const abort = new AbortController();
    const reason = new Error('enough');
    const [aborted, closed] = [watch(pool, [1], abort.signal), watch(pool, [1])];
    await Promise.all([next(aborted), next(closed)]);
    const waiting = [next(aborted), next(closed)] as const;
    abort.abort(reason);
    await expect(waiting[0]).rejects.toBe(reason);
    await pool.close();
    expect(await waiting[1]).toBe('end');
  });
});
