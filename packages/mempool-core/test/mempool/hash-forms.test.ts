import type { Transaction } from 'mempool-core';
import { expect, it } from 'vitest';
import { block, hash, kinds, open, openPriority, transaction } from './tap.ts';

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

it('validate is asked once for all forms, and told the pool’s', async () => {
  const asked: Transaction[] = [];
  const { pool } = await open({
    validate: (given) => {
      asked.push(given);
      return { code: 1, log: 'no', penalize: false };
    },
  });
  const told = await Promise.all([pool.submit(other), pool.submit(one)]);
  told.push(...(await pool.receive([other])));
  expect(told.map(({ kind, hash: of }) => [kind, of])).toEqual(Array(3).fill(['refused', own]));
  expect(asked).toEqual([{ ...one, payload: Buffer.from(one.payload) }]);
});

it('a payload that is too large is answered with the pool’s form', async () => {
  const { pool } = await open({ maxTxBytes: 2 }, { maxTxBytes: 2 });
  const told = [await pool.submit(other), ...(await pool.receive([other]))];
  expect(told.map(({ kind, hash: of }) => [kind, of])).toEqual(Array(2).fill(['too-large', own]));
});

it('revisions name it in every form, but once', async () => {
  const { pool } = await openPriority();
  expect(kinds(await pool.receive([other, one]))).toEqual(['received', 'duplicate']);
  const revision = { version: 1, answer: { priority: 3n } };
  await expect(pool.revise([written, own].map((each) => ({ hash: each, ...revision })))).rejects.toMatchObject({
    details: { field: 'revisions' },
  });
  expect(await pool.revise([{ hash: written, ...revision }])).toMatchObject([{ kind: 'revised', hash: own }]);
});
