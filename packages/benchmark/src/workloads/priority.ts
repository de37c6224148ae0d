import type { ReceiveOutcome, Submission } from 'mempool-core';
import { cursorOf } from 'mempool-core/backend';
import { type Figure, figureIn, type Goal } from '../report/figure.ts';
import type { Per, Row } from '../report/row.ts';
import { inverted } from '../report/spread.ts';
import { hourMs, type Priced, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { bareInsert, barePages, bareUpdate, pages, receive } from './fifo.ts';
import { checkAdmitted, type FilledPool, type FilledRanking } from './pools.ts';
import { type Beside, byCalls, type Rival, repeated, type Turn, type Workload } from './workload.ts';

const perTurn = 1_000;
/** A newcomer alone is a call, and a commit, of its own. */
const alonePerTurn = 100;
const callSize = 100;
const reaped = 1_000;
const reaps = 10;
const idleSweeps = 100;
const longAgoMs = 2 * priorityOptions.ttlMs;

const fifoPool = 'FIFO pool';
const bareIndex = 'bare index';
const idleSweep = 'sweep of nothing';

function same(kind: Goal['kind'], value: number): Record<string, Goal> {
  return { ephemeral: { kind, value }, sqlite: { kind, value }, redis: { kind, value } };
}

function row(id: string, title: string, per: Per = 'transaction') {
  return { id: `ranked-${id}`, title, per, given: 'priority' } as const;
}

/** Receives call by call; `after` runs once every outcome was found to be an admission. */
function admission(pool: FilledPool, given: readonly Submission[], size: number, after: () => unknown): Turn {
  const outcomes: ReceiveOutcome[][] = [];
  const undo = () => {
    checkAdmitted(outcomes.flat());
    return after();
  };
  return byCalls(given, size, async (call) => outcomes.push(await pool.store.receive(call)), { undo });
}

/** The same calls to a FIFO pool that holds as many. */
function besideFifo({ fifo }: Beside, count: number, size: number): Rival {
  return { name: fifoPool, prepare: () => receive(fifo, count, size) };
}

function withRoom(title: string, size: number, count: number): Workload {
  return {
    ...row(`receive-${size}`, `${title}, room left`),
    ours(pool) {
      const transactions = pricedTransactions(count);
      return admission(pool, transactions, size, () => pool.drop(transactions));
    },
    limit: (pool) => bareInsert(pool, count, size),
    rivals: (beside) => [besideFifo(beside, count, size)],
  };
}

export function bareEviction({ ranking, standings }: FilledRanking, count: number, size: number): Turn {
  const newcomers = standings.better(count);
  return byCalls(newcomers, size, (call) => ranking.admit(call), { undo: () => standings.replaced(newcomers) });
}

/** Newcomers to a full pool, each better than its worst, at places all over the order. */
function evicting(title: string, size: number, count: number): Workload {
  return {
    ...row(`evict-${size}`, `${title}, each evicts one`),
    async ours(pool) {
      const { store } = pool;
      const { load } = await store.usage();
      await store.setLimits({ maxTxs: load?.transactions ?? 0 });
      const newcomers = await pool.better(count);
      return admission(pool, newcomers, size, () => {
        pool.replaced(newcomers);
        return store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
      });
    },
    // An eviction must know the worst, so the limits keep an order too.
    rivals: (beside) => [
      ...beside.rankings.map((one) => ({ name: one.name, prepare: () => bareEviction(one, count, size) })),
      besideFifo(beside, count, size),
    ],
    goal: {
      against: fifoPool,
      by: { ...same('at most', 3), ephemeral: { kind: 'at most', value: size === callSize ? 2.5 : 4 } },
    },
  };
}

let tags = 0;

/** The same tag again, for twice the priority. */
function outbidding({ verdict: { priority, provides } }: Priced): Priced {
  const [fresh] = pricedTransactions(1) as [Priced];
  return { ...fresh, verdict: { priority: priority * 2n + 2n, provides: provides ?? [] } };
}

const replace: Workload = {
  ...row('replace', 'replace by 100'),
  async ours(pool) {
    const first = pricedTransactions(perTurn).map(({ verdict, ...transaction }) => ({
      ...transaction,
      verdict: { ...verdict, provides: [`bench/${tags++}`] },
    }));
    await pool.store.receive(first);
    const better = first.map(outbidding);
    return admission(pool, better, callSize, () => pool.drop(better));
  },
  limit: (pool) => bareInsert(pool, perTurn, callSize),
};

const reap: Workload = {
  ...row('reap', `reap ${reaped.toLocaleString('en')}`, 'reap'),
  ours: ({ store }) => repeated(reaps, () => store.reap({ maxTxs: reaped })),
  // One question to the store, as an index in memory must ask whether it is still up to date; then the walk.
  rivals: ({ bare: { bare, stored }, index }) => [
    {
      name: bareIndex,
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
  goal: { against: bareIndex, by: same('at most', 2) },
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

function sweepNothing({ store }: FilledPool, count?: number): Turn {
  return repeated(idleSweeps, () => store.sweep(), count);
}

const sweep: Workload = {
  ...row('sweep', `sweep ${perTurn.toLocaleString('en')} expired`),
  async ours(pool) {
    checkAdmitted(await pool.store.receive(pricedTransactions(perTurn), { now: Date.now() - longAgoMs }));
    let expired = 0;
    return {
      count: perTurn,
      async run() {
        expired = (await pool.store.sweep()).expired.length;
      },
      undo() {
        if (expired !== perTurn) throw new Error(`${expired} of ${perTurn} were swept`);
      },
    };
  },
  limit: (pool) => bareUpdate(pool, perTurn, perTurn),
  // With as many units, so that the two compare as sweeps.
  rivals: ({ ours }) => [{ name: idleSweep, prepare: () => sweepNothing(ours, idleSweeps * perTurn) }],
  goal: { against: idleSweep, by: same('at least', 10) },
};

const sweepIdle: Workload = {
  ...row('sweep-nothing', idleSweep, 'sweep'),
  ours: (pool) => sweepNothing(pool),
  limit({ bare, stored }) {
    const hash = stored.some(1);
    return repeated(idleSweeps, () => bare.look(hash));
  },
};

const gossip: Workload = {
  ...row('since', 'page through gossip by 100'),
  // Numbers for gossip follow the order of arrival, so a place is one.
  async ours(pool) {
    const { epoch } = await pool.store.tip();
    return pages(pool, (place) => {
      let after = cursorOf('gossip', place, epoch);
      return async () => {
        after = (await pool.store.since({ after, limit: callSize })).next;
      };
    });
  },
  limit: barePages,
};

let height = 1;

const revise: Workload = {
  ...row('revise', 'revise by 100'),
  async ours({ store }) {
    const stale = await store.stale({ height: ++height, limit: perTurn });
    const fresh = pricedTransactions(stale.length);
    const revisions = stale.map(({ hash, version }, i) => ({ hash, version, answer: (fresh[i] as Priced).verdict }));
    return byCalls(revisions, callSize, (call) => store.revise(call, { height }));
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

/** Workloads of priority pools. Each undoes what it did to the pool, but evictions do not, so they come last. */
export const priorityWorkloads: readonly Workload[] = [
  withRoom('receive alone', 1, alonePerTurn),
  withRoom('receive by 100', callSize, perTurn),
  replace,
  reap,
  take,
  sweep,
  sweepIdle,
  gossip,
  revise,
  confirm,
  evicting('receive alone', 1, alonePerTurn),
  evicting('receive by 100', callSize, perTurn),
];

/** How rows of priority pools must compare with their rivals; the backend of somebody else has no such goals. */
export function priorityGoals(rows: readonly Row[]): Figure[] {
  return priorityWorkloads.flatMap(({ id, goal: wanted }) =>
    rows.flatMap(({ id: own, backend, title, n, limits }) => {
      const goal = wanted?.by[backend];
      const rival = limits.find(({ name }) => name === wanted?.against);
      if (own !== id || goal === undefined || rival === undefined) return [];
      const full = `${title} ÷ ${rival.name}, n = ${n.toLocaleString('en')}`;
      return [figureIn({ backend, title: full, goal, unit: '×' }, inverted(rival.ratio))];
    }),
  );
}
