import type { Transaction } from 'mempool-core';
import { expect, it } from 'vitest';
import { block, hash, open, transaction } from './tap.ts';

/** A hash with letters, and the same in another form. */
const own = 'ab'.repeat(32);
const written = `0x${own.toUpperCase()}`;
const one: Transaction = { ...transaction(1), hash: own };
const other: Transaction = { ...one, hash: written };

// M2: what the suite's cases show of the store is not said again here.
it('calls for one transaction in several forms share its place in the queue', async () => {
  const { pool } = await open();
  const answers = await Promise.all([
    pool.submit(other),
    pool.submit(one),
    pool.status(written),
    pool.markInflight(written),
    pool.status(own),
    pool.release(written),
    pool.markInflight([written, own]),
    pool.drop(written, 'failed'),
  ]);
  expect(answers).toMatchObject([
    { kind: 'received', hash: own },
    { kind: 'duplicate', hash: own },
    { hash: own, stage: 'Pending' },
    true,
    { hash: own, stage: 'Propagated' },
    true,
    [own],
    true,
  ]);
});

it('waits and watches find the hash in the form that the pool has', async () => {
  const { pool } = await open();
  const waits = [own, written].map((each) => pool.waitFor(each, { stage: 'Confirmed' }));
  const changes = pool.watch([written, own])[Symbol.asyncIterator]();
  expect((await changes.next()).value).toMatchObject({ hash: own, stage: 'Unknown' });
  await pool.receive([other, transaction(2)]);
  expect((await changes.next()).value).toMatchObject({ hash: own, stage: 'Pending' });
  await pool.confirm({ ...block(1), seen: [written], unseen: [own, `0x${hash(2)}`] });
  expect(await Promise.all(waits)).toMatchObject([{ status: { hash: own } }, { status: { hash: own } }]);
  await changes.return?.();
});
