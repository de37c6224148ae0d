import { ephemeral } from 'mempool-ephemeral';
import { expect, test } from 'vitest';
import type { BestWalk, PriorityMempool, RankedCandidate } from '../../src/index.ts';
import { openPriority } from './tap.ts';

const byNumber = (n: number): string => n.toString(16).padStart(64, '0');
const numberOf = (hash: string): number => Number.parseInt(hash, 16);

async function poolOf(...priorities: readonly number[]): Promise<PriorityMempool> {
  const pool = await ephemeral.open({ ordering: 'priority', maxTxs: 10_000, sweepEveryMs: Number.POSITIVE_INFINITY });
  await add(pool, ...priorities.map((priority) => [priority, {}] as const));
  return pool;
}

type Tags = { readonly provides?: readonly string[]; readonly requires?: readonly string[] };

/** Adds transactions whose hash is their priority. */
async function add(pool: PriorityMempool, ...given: readonly (readonly [number, Tags])[]): Promise<void> {
  for (let from = 0; from < given.length; from += 1_000)
    await pool.receive(
      given.slice(from, from + 1_000).map(([priority, tags]) => ({
        hash: byNumber(priority),
        payload: new Uint8Array(1),
        verdict: { priority: BigInt(priority), ...tags },
      })),
    );
}

async function rest(walk: BestWalk): Promise<number[]> {
  const met: number[] = [];
  for await (const { hash } of walk) met.push(numberOf(hash));
  return met;
}

test('a transaction that moves behind the point is delivered once', async () => {
  await using pool = await poolOf(9, 8, 7);
  const met: number[] = [];
  for await (const { hash } of pool.bestIterator({ readAhead: 1 })) {
    met.push(numberOf(hash));
    if (met.length === 2) await pool.revise([{ hash: byNumber(9), version: 1, answer: { priority: 1n } }]);
  }
  expect(met).toEqual([9, 8, 7]);
});

test('what moves before the point is met by a walk that asks for newcomers', async () => {
  for (const newcomers of [false, true]) {
    await using pool = await poolOf(9, 8, 7, 1);
    const met: number[] = [];
    for await (const { hash } of pool.bestIterator({ readAhead: 1, newcomers })) {
      met.push(numberOf(hash));
      if (met.length === 2) await pool.revise([{ hash: byNumber(1), version: 1, answer: { priority: 20n } }]);
    }
    expect(met).toEqual(newcomers ? [9, 8, 1, 7] : [9, 8, 7]);
  }
});

test('what was read already is passed over too when its parent is marked', async () => {
  await using pool = await poolOf();
  await add(
    pool,
    [9, { provides: ['a'] }],
    [8, { requires: ['a'], provides: ['b'] }],
    [7, { requires: ['b'] }],
    [5, {}],
  );
  for (const newcomers of [false, true]) {
    const walk = pool.bestIterator({ newcomers });
    const met: number[] = [];
    for await (const { hash } of walk) {
      met.push(numberOf(hash));
      if (numberOf(hash) === 8) walk.markInvalid(hash);
    }
    expect(met).toEqual([9, 8, 5]);
  }
});

test('what is marked before it comes is not delivered, and what the filter refuses takes its descendants along', async () => {
  await using pool = await poolOf(6);
  await add(pool, [9, { provides: ['a'] }], [8, { requires: ['a'] }], [7, {}]);
  const asked: number[] = [];
  const filter = ({ hash }: RankedCandidate): boolean => {
    asked.push(numberOf(hash));
    return numberOf(hash) !== 9;
  };
  const walk = pool.bestIterator({ filter, newcomers: true, readAhead: 1 });
  walk.markInvalid(byNumber(7));
  expect(await rest(walk)).toEqual([6]);
  expect(asked).toEqual([9, 6]);
});

test('a walk reads no more than it is asked to read ahead, and a second loop goes on', async () => {
  const { pool, count } = await openPriority({}, { maxTxs: 10_000 });
  for (let first = 1; first < 3_000; first += 1_000)
    await add(pool, ...Array.from({ length: 1_000 }, (_, i): [number, Tags] => [first + i, {}]));
  const walk = pool.bestIterator({ readAhead: 10 });
  let met = 0;
  for await (const { hash } of walk) {
    expect(numberOf(hash)).toBe(3_000 - met);
    if (++met === 15) break;
  }
  expect(count('best')).toBe(2);
  expect(await rest(walk)).toEqual(Array.from({ length: 2_985 }, (_, i) => 2_985 - i));
});

test('an abort ends the loop with the reason of the signal, in the middle of a page too', async () => {
  await using pool = await poolOf(3, 2, 1);
  const controller = new AbortController();
  const reason = new Error('enough');
  const met: number[] = [];
  const walk = async (): Promise<void> => {
    for await (const { hash } of pool.bestIterator({ signal: controller.signal })) {
      met.push(numberOf(hash));
      controller.abort(reason);
    }
  };
  await expect(walk()).rejects.toBe(reason);
  expect(met).toEqual([3]);
});

test('a wrong option is told at the first step, a wrong hash at once', async () => {
  await using pool = await poolOf(1);
  const untyped = pool as unknown as { bestIterator(options: unknown): BestWalk };
  const wrong = [
    ['filter', { filter: 7 }],
    ['newcomers', { newcomers: 'yes' }],
    ['readAhead', { readAhead: 0 }],
    ['readAhead', { readAhead: 1_001 }],
    ['signal', { signal: 7 }],
    ['newcommers', { newcommers: true }],
  ] as const;
  for (const [field, options] of wrong) {
    const walk = untyped.bestIterator(options);
    await expect(rest(walk)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
  }
  expect(() => pool.bestIterator().markInvalid('')).toThrow(expect.objectContaining({ code: 'ERR_MEMPOOL_INVALID' }));
});

test('a fifo pool and a closed one refuse', async () => {
  await using fifo = await ephemeral.open();
  const untyped = fifo as unknown as PriorityMempool;
  await expect(rest(untyped.bestIterator())).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNSUPPORTED' });
  const pool = await poolOf(1);
  await pool.close();
  await expect(rest(pool.bestIterator())).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
});
