import assert from 'node:assert/strict';
import type { MempoolStore, SeqQuery, StoredTransaction } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { must, mustEach } from '../../case/must.ts';
import { eachOnPool, onPool, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, largeTransactions } from '../../scenario/pool.ts';

const mebibyte = 1_048_576;
const year = 365 * 24 * 3_600_000;

type Peek = 'peekPending' | 'peekInflight';

/** More pages than any case has: a store whose pages never end must not block the suite. */
const manyPages = 20;

/** All of it, page by page, as a reader would. */
async function pages(store: MempoolStore, peek: Peek, query: SeqQuery): Promise<StoredTransaction[][]> {
  const read: StoredTransaction[][] = [];
  let page = await store[peek](query);
  while (page.transactions.length > 0 && read.length < manyPages) {
    read.push(page.transactions);
    page = await store[peek]({ ...query, after: page.next });
  }
  return read;
}

async function first(store: MempoolStore, peek: Peek, limit: number): Promise<StoredTransaction[]> {
  return (await store[peek]({ limit })).transactions;
}

function sizes(read: readonly { readonly length: number }[]): number[] {
  return read.map(({ length }) => length);
}

/** Brings received transactions into the list that a verb pages through. */
type Fly = (store: MempoolStore, hashes: string[]) => Promise<unknown>;

const lists: readonly (readonly [Peek, Fly])[] = [
  ['peekPending', async () => undefined],
  [
    'peekInflight',
    async (store, hashes) => {
      await store.markInflight(hashes);
      await store.markAcknowledged(hashes.filter((_, i) => i % 2 === 0));
    },
  ],
];

function orderCases(peek: Peek, fly: Fly): ConformanceCase[] {
  return [
    onPool(
      `O1/${peek}-pages`,
      `${peek} pages through everything in seq order, without gap or repeat`,
      async (pool, store) => {
        const all = await pool.receiveHashes(23);
        await fly(store, all);
        const read = await pages(store, peek, { limit: 5 });
        assert.deepEqual(sizes(read), [5, 5, 5, 5, 3]);
        assert.deepEqual(hashesOf(read.flat()), all);
      },
    ),
    onPool(`O1/${peek}-after`, `${peek} starts behind the seq asked for`, async (pool, store) => {
      const all = await pool.receiveHashes(6);
      await fly(store, all);
      const seqs = (await store[peek]()).transactions.map(({ seq }) => seq);
      const behind = async (seq = 0) => {
        const after = await pool.cursor('page', seq);
        return hashesOf((await store[peek]({ after })).transactions);
      };
      assert.deepEqual(await behind(seqs[2]), all.slice(3));
      assert.deepEqual([await behind(seqs[5]), await behind(Number.MAX_SAFE_INTEGER)], [[], []]);
    }),
  ];
}

function limitCases(peek: Peek, fly: Fly): ConformanceCase[] {
  return [
    onPool(`O6/${peek}-least`, `a limit below 1 acts as 1 in ${peek}`, async (pool, store) => {
      await fly(store, await pool.receiveHashes(3));
      const read = await Promise.all([0, -7, 1].map((limit) => first(store, peek, limit)));
      assert.deepEqual(sizes(read), [1, 1, 1]);
    }),
    onPool(`O6/${peek}-most`, `a limit above 1,000 acts as 1,000 in ${peek}`, async (pool, store) => {
      for (const count of [1_000, 5]) await fly(store, await pool.receiveHashes(count));
      const limits = [1_000, 1_001, 5_000, Number.POSITIVE_INFINITY];
      const read = await Promise.all(limits.map((limit) => first(store, peek, limit)));
      assert.deepEqual(sizes(read), [1_000, 1_000, 1_000, 1_000]);
    }),
    onPool(`O6/${peek}-default`, `without a limit ${peek} gives 100`, async (pool, store) => {
      await fly(store, await pool.receiveHashes(101));
      assert.equal((await store[peek]()).transactions.length, 100);
    }),
    onPool(`O6/${peek}-bytes`, `a page of ${peek} ends at 8 MiB`, async (pool, store) => {
      const large = largeTransactions(pool.random, 10, mebibyte);
      await store.receive(large);
      await fly(store, hashesOf(large));
      const read = await pages(store, peek, { limit: 1_000 });
      assert.deepEqual(sizes(read), [8, 2]);
      assert.deepEqual(hashesOf(read.flat()), hashesOf(large));
    }),
    must(`O6/${peek}-one-at-least`, `a page of ${peek} has one entry although it is over 8 MiB`, async (context) => {
      const pool = await openPool(context, { maxTxBytes: 9 * mebibyte });
      const huge = largeTransactions(context.random, 2, 8 * mebibyte + 1);
      await pool.store.receive(huge);
      await fly(pool.store, hashesOf(huge));
      assert.deepEqual(sizes(await pages(pool.store, peek, {})), [1, 1]);
    }),
  ];
}

const onePool = eachOnPool({
  'O1/pending-holes: gaps in the seqs do not disturb paging': async (pool, store) => {
    const all = await pool.receiveHashes(12);
    await pool.mark(...all.filter((_, i) => i % 3 === 0));
    await pool.drop(...all.slice(4, 6));
    const left = all.filter((_, i) => i % 3 !== 0 && i !== 4 && i !== 5);
    assert.deepEqual(hashesOf((await pages(store, 'peekPending', { limit: 2 })).flat()), left);
  },
  'O1/after-a-hole: paging goes on behind a seq that has left the list': async (pool, store) => {
    const all = await pool.receiveHashes(6);
    const [, , third] = (await store.peekPending()).transactions;
    assert.ok(third);
    await pool.mark(third.hash);
    const after = await pool.cursor('page', third.seq);
    assert.deepEqual(hashesOf((await store.peekPending({ after })).transactions), all.slice(3));
  },
  'O2/empty: hasPending is false in a new pool': async ({ store }) => {
    assert.deepEqual([await store.hasPending(), (await store.peekPending()).transactions], [false, []]);
  },
});

const ownPools = mustEach({
  'O2/no-expiry: nothing live expires, however much time passes': async (context) => {
    let now = 0;
    const pool = await openPool(context, { clock: () => now });
    const pending = await pool.receiveOne();
    const flying = await pool.propagateOne();
    now += 10 * year;
    assert.deepEqual([await pool.pending(), await pool.inflight()], [[pending], [flying]]);
  },
});

export const pagingCases: readonly ConformanceCase[] = [
  ...lists.flatMap(([peek, fly]) => [...orderCases(peek, fly), ...limitCases(peek, fly)]),
  ...onePool,
  ...ownPools,
];
