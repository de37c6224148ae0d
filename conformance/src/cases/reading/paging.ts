import assert from 'node:assert/strict';
import type { SeqQuery, StoredTransaction } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { type EachOf, eachOf, eachRow, must, mustEach } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPool, openOther, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, largeTransactions, type Pool } from '../../scenario/pool.ts';

const mebibyte = 1_048_576;
const year = 365 * 24 * 3_600_000;

type Peek = 'peekPending' | 'peekInflight';

/** More pages than any case has: a store whose pages never end must not block the suite. */
const manyPages = 20;

/** All of it, page by page, as a reader would. */
async function pages(store: TestedPool, peek: Peek, query: SeqQuery): Promise<StoredTransaction[][]> {
  const read: StoredTransaction[][] = [];
  let page = await store[peek](query);
  while (page.transactions.length > 0 && read.length < manyPages) {
    read.push(page.transactions);
    page = await store[peek]({ ...query, after: page.next });
  }
  return read;
}

async function first(store: TestedPool, peek: Peek, limit: number): Promise<StoredTransaction[]> {
  return (await store[peek]({ limit })).transactions;
}

function sizes(read: readonly { readonly length: number }[]): number[] {
  return read.map(({ length }) => length);
}

/** Brings received transactions into the list that a verb pages through. */
type Fly = (store: TestedPool, hashes: string[]) => Promise<unknown>;

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

type OnList = (pool: Pool, peek: Peek, fly: (hashes: string[]) => Promise<unknown>) => Promise<void>;

/** Runs a case with each of the two lists, each on a pool of its own. */
const eachList: EachOf<OnList> = eachOf((id, title, run) =>
  must(id, title, (context) =>
    eachRow(
      lists,
      ([peek]) => peek,
      async ([peek, fly]) => {
        const pool = await openOther(context, { maxTxBytes: 9 * mebibyte });
        await run(pool, peek, (hashes) => fly(pool.store, hashes));
      },
    ),
  ),
);

const listCases = eachList({
  'O1/pages: pages have everything in seq order, without gap or repeat': async (pool, peek, fly) => {
    const all = await pool.receiveHashes(23);
    await fly(all);
    const read = await pages(pool.store, peek, { limit: 5 });
    assert.deepEqual(sizes(read), [5, 5, 5, 5, 3]);
    assert.deepEqual(hashesOf(read.flat()), all);
  },
  'O1/after: a page starts after the seq asked for': async (pool, peek, fly) => {
    const { store } = pool;
    const all = await pool.receiveHashes(6);
    await fly(all);
    const seqs = (await store[peek]()).transactions.map(({ seq }) => seq);
    const later = async (seq = 0) => {
      const after = await pool.cursor('page', seq);
      return hashesOf((await store[peek]({ after })).transactions);
    };
    assert.deepEqual(await later(seqs[2]), all.slice(3));
    assert.deepEqual([await later(seqs[5]), await later(Number.MAX_SAFE_INTEGER)], [[], []]);
  },
  'O6/limits: a limit below 1 acts as 1, one above 1,000 as 1,000, and none as 100': async (pool, peek, fly) => {
    const { store } = pool;
    for (const count of [1_000, 5]) await fly(await pool.receiveHashes(count));
    const limits = [0, -7, 1, 1_000, 1_001, 5_000, Number.POSITIVE_INFINITY];
    const read = await Promise.all(limits.map((limit) => first(store, peek, limit)));
    assert.deepEqual(sizes(read), [1, 1, 1, 1_000, 1_000, 1_000, 1_000]);
    assert.equal((await store[peek]()).transactions.length, 100);
  },
  'O6/bytes: a page ends at 8 MiB, and has one entry although that is larger': async (pool, peek, fly) => {
    const large = [
      ...largeTransactions(pool.random, 10, mebibyte),
      ...largeTransactions(pool.random, 2, 8 * mebibyte + 1),
    ];
    await pool.store.receive(large);
    await fly(hashesOf(large));
    const read = await pages(pool.store, peek, { limit: 1_000 });
    assert.deepEqual([sizes(read), hashesOf(read.flat())], [[8, 2, 1, 1], hashesOf(large)]);
  },
});

const onePool = eachOnPool({
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

export const pagingCases: readonly ConformanceCase[] = [...listCases, ...onePool, ...ownPools];
