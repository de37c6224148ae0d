import type { ReceiveOutcome, Submission } from 'mempool-core';
import type { Per } from '../report/row.ts';
import { hourMs, pricedTransactions } from '../setup/samples.ts';
import { bareInsert, bareUpdate, receive, reopening } from './fifo.ts';
import { checkAdmitted, type FilledPool } from './pools.ts';
import { byCalls, repeated, type Turn, type Workload } from './workload.ts';

const perTurn = 1_000;
const callSize = 100;
const reaped = 1_000;
const reaps = 10;

/** The same share of the rival's speed on each backend. */
function everywhere(least: number): NonNullable<Workload['goals']> {
  return { ephemeral: least, sqlite: least, redis: least };
}

function row(id: string, title: string, per: Per = 'transaction') {
  return { id: `ranked-${id}`, title, per, given: 'priority' } as const;
}

/** Receives by 100; `after` runs once every outcome was found to be an admission. */
function admission(pool: FilledPool, given: readonly Submission[], after: () => unknown): Turn {
  const outcomes: ReceiveOutcome[][] = [];
  const undo = () => {
    checkAdmitted(outcomes.flat());
    return after();
  };
  return byCalls(given, callSize, async (call) => outcomes.push(await pool.store.receive(call)), { undo });
}

/** The same calls to a FIFO pool that holds as many. */
const besideFifo: Workload['rivals'] = ({ fifo }) => [
  { name: 'FIFO pool', prepare: () => receive(fifo, perTurn, callSize) },
];

const withRoom: Workload = {
  ...row(`receive-${callSize}`, 'receive by 100, room left'),
  ours(pool) {
    const transactions = pricedTransactions(perTurn);
    return admission(pool, transactions, () => pool.drop(transactions));
  },
  limit: (pool) => bareInsert(pool, perTurn, callSize),
  rivals: besideFifo,
};

/** Newcomers to a full pool, each better than its worst, at places all over the order. */
const evicting: Workload = {
  ...row(`evict-${callSize}`, 'receive by 100, each evicts one'),
  async ours(pool) {
    const { store } = pool;
    const { load } = await store.usage();
    await store.setLimits({ maxTxs: load?.transactions ?? 0 });
    const newcomers = await pool.better(perTurn);
    return admission(pool, newcomers, () => {
      pool.replaced(newcomers);
      return store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
    });
  },
  rivals: besideFifo,
  goals: { ephemeral: 0.25, sqlite: 0.33, redis: 0.25 },
};

const reap: Workload = {
  ...row('reap', `reap ${reaped.toLocaleString('en')}`, 'reap'),
  ours: ({ store }) => repeated(reaps, () => store.reap({ maxTxs: reaped })),
  // One question to the store, as an index in memory must ask whether it is still up to date; then the walk.
  rivals: ({ bare: { bare, stored }, index }) => [
    {
      name: 'bare index',
      prepare() {
        const hash = stored.some(1);
        return repeated(reaps, async () => {
          const asked = bare.look(hash);
          if (asked instanceof Promise) await asked;
          return index.walk(reaped);
        });
      },
    },
  ],
  goals: everywhere(0.5),
};

const take: Workload = {
  ...row('take', 'take by 100'),
  ours({ store, stored }) {
    const count = Math.min(perTurn, stored.count);
    const taken: string[] = [];
    let left = count;
    const next = async () => {
      const budget = { maxTxs: Math.min(left, callSize) };
      const { transactions } = await store.take(budget, { owner: 'benchmark', claimMs: hourMs });
      for (const { hash } of transactions) taken.push(hash);
      left -= callSize;
    };
    return { ...repeated(Math.ceil(count / callSize), next, count), undo: () => store.release(taken) };
  },
  limit: (pool) => bareUpdate(pool, perTurn, callSize),
};

const confirm: Workload = {
  ...row('confirm', 'confirm a block of 100, the rest ranked', 'block'),
  async ours(pool) {
    const hashes = pool.stored.some(perTurn);
    await pool.store.markInflight(hashes);
    const before = (await pool.store.tip()).point;
    const undo = () => pool.store.rollback(before ?? 'origin');
    return byCalls(hashes, callSize, (seen) => pool.confirm(seen), { unit: callSize, undo });
  },
  limit: (pool) => bareUpdate(pool, perTurn, callSize, callSize),
};

/** A node that opens the pool loads its index. */
const restart: Workload = {
  ...row('restart', 'restart until the first reap', 'restart'),
  ...reopening(({ store }) => store.reap({ maxTxs: 1 })),
  grows: true,
};

/** Workloads of priority pools. Each undoes what it did to the pool, but evictions do not, so they come last. */
export const priorityWorkloads: readonly Workload[] = [withRoom, reap, take, confirm, restart, evicting];
