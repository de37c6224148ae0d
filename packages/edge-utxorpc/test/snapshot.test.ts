import type { Mempool } from 'mempool-core';
import { expect, test } from 'vitest';
import { ownPool } from '../../server/test/http/served.ts';
import { Snapshots } from '../src/snapshot.ts';
import { hashOf } from './clients.ts';

const hash = 'ab'.repeat(32);

/** What a snapshot has if `meanwhile` runs between the reading of what is Pending and of what is in flight. */
async function snapshotOf(pool: Mempool, meanwhile: () => Promise<unknown>): Promise<string[]> {
  const changing = Object.create(pool, {
    ordering: { value: pool.ordering },
    inflight: { value: () => pool.inflight() },
    pending: {
      value: async function* () {
        yield* pool.pending();
        await meanwhile();
      },
    },
  }) as Mempool;
  const items = await new Snapshots(changing).read(Promise.resolve());
  return items.map(({ ref }) => hashOf(ref));
}

test('what is released or sent while the pool is read is in the answer once', async () => {
  const pool = await ownPool();
  await pool.receive([{ hash, payload: Buffer.of(1) }]);
  expect(await snapshotOf(pool, () => pool.markInflight([hash]))).toEqual([hash]);
  expect(await snapshotOf(pool, () => pool.release([hash]))).toEqual([hash]);
});
