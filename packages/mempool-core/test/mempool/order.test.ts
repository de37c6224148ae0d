import { expect, it } from 'vitest';
import { collect, hash, open, transaction } from './tap.ts';

it('two store calls that receive are never under way at once: they could swap, and arrival order shows (L1)', async () => {
  const { pool, calls, before } = await open({ maxBatch: 2 });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  before('receive', () => released);
  const submitted = [1, 2, 3].map((n) => pool.submit(transaction(n)));
  expect(await pool.status(hash(9))).toMatchObject({ stage: 'Unknown' });
  expect(calls).toEqual(['receive 2', 'checkStatus 1']);
  release();
  await Promise.all(submitted);
  expect((await collect(pool.pending())).map((each) => each.hash)).toEqual([1, 2, 3].map(hash));
  await pool.close();
});

it('fifteen hundred who wait for blocks all hear of theirs', async () => {
  const { pool } = await open({}, { finalizeThreshold: 3 });
  const numbers = Array.from({ length: 1_500 }, (_, i) => i + 1);
  const waiting = numbers.map((n) =>
    pool.waitFor(hash(n), n % 2 === 0 ? { confirmations: 2 } : { stage: 'Finalized' }),
  );
  await Promise.all(numbers.map((n) => pool.submit(transaction(n))));
  for (let slot = 1; slot <= 20; slot++) {
    const seen = numbers.filter((n) => n % 15 === slot).map(hash);
    await pool.confirm({ point: { slot, hash: hash(10_000 + slot) }, seen, unseen: [] });
  }
  await pool.drop(numbers.filter((n) => n % 15 === 0).map(hash), 'unwanted');
  const told = await Promise.all(waiting);
  expect(told.every(({ stage }, i) => (numbers[i] ?? 0) % 15 !== 0 || stage === 'Dropped')).toBe(true);
  expect(told.filter(({ stage }) => stage === 'Dropped')).toHaveLength(100);
  await pool.close();
});
