import { Mempool, type Transaction } from 'mempool-core';
import type { Bare } from '../limits/limit.ts';
import { batches, freshTransactions, hashesOf } from './sample.ts';
import type { BarePool, BenchPool, Turn, Workload } from './workload.ts';

const storeLimit = 1_000;

/** Inserts batch by batch; a bare structure that needs no waiting is not waited for. */
async function insertAll(bare: Bare, calls: readonly Transaction[][]): Promise<void> {
  for (const call of calls) {
    const done = bare.insert(call);
    if (done instanceof Promise) await done;
  }
}

async function dropAll({ store }: BenchPool, transactions: readonly Transaction[]): Promise<void> {
  for (const hashes of batches(hashesOf(transactions), storeLimit)) await store.drop(hashes, 'benchmark');
}

async function removeAll({ bare }: Pick<BarePool, 'bare'>, transactions: readonly Transaction[]): Promise<void> {
  for (const hashes of batches(hashesOf(transactions), storeLimit)) await bare.remove(hashes);
}

function bareInsert(pool: BarePool, count: number, size: number): Turn {
  const transactions = freshTransactions(count);
  const calls = batches(transactions, size);
  return { count, run: () => insertAll(pool.bare, calls), undo: () => removeAll(pool, transactions) };
}

function receiveBy(size: number, count: number, title: string): Workload {
  return {
    id: `receive-${size}`,
    title,
    per: 'transaction',
    given: 'pending',
    ours(pool) {
      const transactions = freshTransactions(count);
      const calls = batches(transactions, size);
      return {
        count,
        async run() {
          for (const call of calls) await pool.store.receive(call);
        },
        undo: () => dropAll(pool, transactions),
      };
    },
    limit: (pool) => bareInsert(pool, count, size),
  };
}

const callers = 64;

const coalesced: Workload = {
  id: 'receive-callers',
  title: `receive, ${callers} callers`,
  per: 'transaction',
  given: 'pending',
  ours(pool) {
    const transactions = freshTransactions(callers * 16);
    const shares = batches(transactions, 16);
    const mempool = new Mempool(pool.store);
    const submit = async (share: readonly Transaction[]): Promise<void> => {
      for (const transaction of share) await mempool.submit(transaction);
    };
    return {
      count: transactions.length,
      run: () => Promise.all(shares.map(submit)),
      undo: () => dropAll(pool, transactions),
    };
  },
  // The best that callers who each wait for an answer can be brought together to.
  limit: (pool) => bareInsert(pool, callers * 16, callers),
};

export const receiveWorkloads: readonly Workload[] = [
  receiveBy(1, 200, 'receive alone'),
  coalesced,
  receiveBy(100, 1_000, 'receive by 100'),
  receiveBy(1_000, 2_000, 'receive by 1,000'),
];

export { bareInsert, dropAll, receiveBy };
