import type { Measure } from '../runner/measure.ts';
import { Admission, type RankedPool } from './ranked-pool.ts';
import { type Priced, pricedTransactions } from './ranked-sample.ts';
import type { Beside, RankedWorkload } from './ranked-workload.ts';
import { bareInsert, dropAll, receiveBy } from './receive.ts';
import { batches } from './sample.ts';
import type { Turn } from './workload.ts';

const perTurn = 1_000;
/** A newcomer alone is a call, and a commit, of its own. */
const alonePerTurn = 100;
const callSize = 100;

const fifoPool = 'FIFO pool';

function most(value: number): Measure['goal'] {
  return { kind: 'at most', value };
}

/** The same batches, taken in by a pool in order of arrival that holds as many. */
function byArrival(size: number, count: number): Beside {
  const workload = receiveBy(size, count, fifoPool);
  return { name: fifoPool, turn: ({ arrivals }) => workload.ours(arrivals) };
}

function admission(pool: RankedPool, transactions: readonly Priced[], size: number): Turn & { undo(): Promise<void> } {
  const calls = batches(transactions, size);
  const admitted = new Admission();
  return {
    count: transactions.length,
    run: () => admitted.run(pool, calls),
    async undo() {
      admitted.check();
      await dropAll(pool, transactions);
    },
  };
}

function withRoom(id: RankedWorkload['id'], title: string, size: number, count: number): RankedWorkload {
  return {
    id,
    title,
    per: 'transaction',
    beside: byArrival(size, count),
    ours: (pool) => admission(pool, pricedTransactions(count), size),
    limit: (pool) => bareInsert(pool, count, size),
  };
}

/** Newcomers to a full pool, each better than its worst, at places all over the order. */
function evicting(id: RankedWorkload['id'], title: string, size: number, count: number): RankedWorkload {
  return {
    id,
    title,
    per: 'transaction',
    beside: byArrival(size, count),
    goal: { against: fifoPool, goals: { ephemeral: most(4), sqlite: most(3), redis: most(3) } },
    async ours(pool) {
      const { store } = pool;
      const { load } = await store.usage();
      await store.setLimits({ maxTxs: load?.transactions ?? 0 });
      const newcomers = await pool.better(count);
      const calls = batches(newcomers, size);
      const admitted = new Admission();
      return {
        count: newcomers.length,
        run: () => admitted.run(pool, calls),
        async undo() {
          admitted.check();
          pool.replaced(newcomers);
          await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
        },
      };
    },
    ranking: (pool) => pool.evicting(count, size),
  };
}

let tags = 0;

/** The same tag again, for twice as much. */
function outbidding({ verdict: { priority, provides } }: Priced, [fresh]: readonly Priced[]): Priced {
  return { ...(fresh as Priced), verdict: { priority: priority * 2n + 2n, provides: provides ?? [] } };
}

const replacement: RankedWorkload = {
  id: 'ranked-replace',
  title: 'replace by 100',
  per: 'transaction',
  async ours(pool) {
    const first = pricedTransactions(perTurn).map(({ verdict, ...transaction }) => ({
      ...transaction,
      verdict: { ...verdict, provides: [`bench/${tags++}`] },
    }));
    await pool.store.receive(first);
    return admission(
      pool,
      first.map((transaction) => outbidding(transaction, pricedTransactions(1))),
      callSize,
    );
  },
  limit: (pool) => bareInsert(pool, perTurn, callSize),
};

export const rankedAdmission: readonly RankedWorkload[] = [
  withRoom('ranked-receive-1', 'receive alone, room left', 1, alonePerTurn),
  withRoom('ranked-receive-100', 'receive by 100, room left', callSize, perTurn),
  replacement,
];

/** They move the pool on for good, so they come last. */
export const rankedEviction: readonly RankedWorkload[] = [
  evicting('ranked-evict-1', 'receive alone, each evicts one', 1, alonePerTurn),
  evicting('ranked-evict-100', 'receive by 100, each evicts one', callSize, perTurn),
];
