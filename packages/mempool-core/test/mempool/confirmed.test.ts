import type { Mempool, OpenOptions } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { block, hash, hashes, type Opened, once, open, transactions } from './tap.ts';

/** A pool in which 1 is Confirmed by block 1, and 2 and 3 are Pending. */
async function started(options: OpenOptions<'fifo'> = {}): Promise<Opened> {
  const opened = await open({}, { finalizeThreshold: 2, ...options });
  await opened.pool.receive(transactions(1, 2, 3));
  await opened.pool.confirm(block(1, 1));
  return opened;
}

async function found(pool: Mempool): Promise<unknown> {
  const { transactions, complete, cursor } = await pool.confirmed();
  expect(cursor).toBe((await pool.usage()).cursors.events);
  return [complete, ...transactions.map((one) => `${one.hash} ${one.stage} ${one.point.slot}`)];
}

const slotOf = (n: number): number => block(n).point.slot;

describe('confirmed (O9)', () => {
  it.each(['dumpFinalized', 'peekInflight', 'tip', 'usage'])(
    'has a block, and lacks an undone one, that come before it reads %s',
    async (verb) => {
      const { pool, other, before } = await started();
      before(
        verb,
        once(async () => {
          await other.confirm({ ...block(2, 2), parent: block(1).point.hash });
          await other.rollback('origin');
          await other.confirm(block(3, 3));
        }),
      );
      expect(await found(pool)).toEqual([true, `${hash(3)} Confirmed ${slotOf(3)}`]);
    },
  );

  it('has a transaction that becomes final between its pages', async () => {
    const { pool, other, before } = await started();
    before(
      'peekInflight',
      once(async () => void (await other.confirm(block(2)))),
    );
    expect(await found(pool)).toEqual([true, `${hash(1)} Finalized ${slotOf(1)}`]);
  });

  it('begins again if the events since its beginning were trimmed', async () => {
    const { pool, other, before, count } = await started({ maxEvents: 2 });
    before(
      'tip',
      once(async () => {
        for (const each of hashes(2, 3)) await other.drop(each, 'failed');
        await other.confirm(block(2));
      }),
    );
    expect(await found(pool)).toEqual([true, `${hash(1)} Finalized ${slotOf(1)}`]);
    expect(count('dumpFinalized')).toBe(2);
  });

  it('gives up if that happens each time', async () => {
    const { pool, other, before, count } = await started({ maxEvents: 2 });
    before('tip', async () => {
      for (let i = 0; i < 2; i++) {
        await other.markInflight(hash(2));
        await other.release(hash(2));
      }
    });
    await expect(pool.confirmed()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_BUSY', retryable: true });
    expect(count('dumpFinalized')).toBe(10);
  });
});
