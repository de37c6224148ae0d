import { bareUpdate, confirmAll, sealed } from './lifecycle.ts';
import { Admission, type RankedPool } from './ranked-pool.ts';
import { hourMs, pricedTransactions, ranked } from './ranked-sample.ts';
import type { RankedWorkload } from './ranked-workload.ts';
import { lookUps } from './read.ts';
import { batches } from './sample.ts';
import type { Turn } from './workload.ts';

const perTurn = 1_000;
const callSize = 100;
const reaped = 1_000;
const reaps = 10;
const idleSweeps = 100;

/** Several calls of what is over too soon for the clock. */
function repeated(count: number, run: () => unknown): Turn {
  return {
    count,
    async run() {
      for (let i = 0; i < count; i++) {
        const done = run();
        if (done instanceof Promise) await done;
      }
    },
  };
}

const reap: RankedWorkload = {
  id: 'ranked-reap',
  title: `reap ${reaped.toLocaleString('en')}`,
  per: 'reap',
  limitName: 'bare index',
  goal: {
    against: 'bare index',
    goals: {
      ephemeral: { kind: 'at most', value: 2 },
      sqlite: { kind: 'at most', value: 2 },
      redis: { kind: 'at most', value: 2 },
    },
  },
  ours: ({ store }) => repeated(reaps, () => store.reap({ maxTxs: reaped })),
  // One question to the store, as an index in memory must ask whether it is still up to date; then the walk.
  limit({ bare, stored, index }) {
    const [hash] = stored.some(1) as [string];
    return repeated(reaps, async () => {
      const asked = bare.look([hash]);
      if (asked instanceof Promise) await asked;
      return index.walk(reaped);
    });
  },
};

const take: RankedWorkload = {
  id: 'ranked-take',
  title: 'take by 100',
  per: 'transaction',
  ours({ store, stored }) {
    const count = Math.min(perTurn, stored.count);
    const taken: string[] = [];
    return {
      count,
      async run() {
        for (let left = count; left > 0; left -= callSize) {
          const budget = { maxTxs: Math.min(left, callSize) };
          const { transactions } = await store.take(budget, { owner: 'benchmark', leaseMs: hourMs });
          for (const { hash } of transactions) taken.push(hash);
        }
      },
      undo: () => store.release(taken),
    };
  },
  limit: (pool) => bareUpdate(pool, perTurn, callSize, 1),
};

function idle({ store }: RankedPool): Turn {
  return repeated(idleSweeps, () => store.sweep());
}

const longAgoMs = 2 * (ranked.options.ttlMs ?? 0);

const nothing = 'sweep of nothing';

const sweep: RankedWorkload = {
  id: 'ranked-sweep',
  title: `sweep ${perTurn.toLocaleString('en')} expired`,
  per: 'transaction',
  // As many units, so that the two compare as sweeps.
  beside: {
    name: nothing,
    turn({ ranked }) {
      const { run } = idle(ranked);
      return { count: idleSweeps * perTurn, run };
    },
  },
  goal: {
    against: nothing,
    goals: {
      ephemeral: { kind: 'at least', value: 10 },
      sqlite: { kind: 'at least', value: 10 },
      redis: { kind: 'at least', value: 10 },
    },
  },
  async ours(pool) {
    const admitted = new Admission();
    await admitted.run(pool, [pricedTransactions(perTurn)], { now: Date.now() - longAgoMs });
    admitted.check();
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
  limit: (pool) => bareUpdate(pool, perTurn, perTurn, 1),
};

const idleSweep: RankedWorkload = {
  id: 'ranked-sweep-nothing',
  title: nothing,
  per: 'sweep',
  ours: idle,
  limit({ bare, stored }) {
    const [hash] = stored.some(1) as [string];
    return repeated(idleSweeps, () => bare.look([hash]));
  },
};

const gossip: RankedWorkload = {
  id: 'ranked-since',
  title: 'page through gossip by 100',
  per: 'transaction',
  ours({ store, stored }) {
    const count = Math.min(perTurn, stored.count);
    // Numbers for gossip were given out as they arrived, so a place is one.
    let next = stored.place(count);
    return {
      count,
      async run() {
        for (let read = 0; read < count; read += callSize) ({ next } = await store.since(next, { limit: callSize }));
      },
    };
  },
  limit({ bare, stored }) {
    const count = Math.min(perTurn, stored.count);
    return lookUps(stored.run(stored.place(count), count), (hashes) => bare.read(hashes));
  },
};

let height = 1;

const revise: RankedWorkload = {
  id: 'ranked-revise',
  title: 'revise by 100',
  per: 'transaction',
  async ours({ store }) {
    const stale = await store.stale({ height: ++height, limit: perTurn });
    const revisions = pricedTransactions(stale.length).map(({ verdict }, i) => {
      const { hash, version } = stale[i] as (typeof stale)[number];
      return { hash, version, answer: verdict };
    });
    return {
      count: revisions.length,
      async run() {
        for (const call of batches(revisions, callSize)) await store.revise(call, { height });
      },
    };
  },
  limit: (pool) => bareUpdate(pool, perTurn, callSize, 1),
};

const confirm: RankedWorkload = {
  id: 'ranked-confirm',
  title: 'confirm a block of 100, the rest ranked',
  per: 'block',
  async ours(pool) {
    const hashes = pool.stored.some(perTurn);
    await pool.store.markInflight(hashes);
    const before = await sealed(pool);
    return {
      count: hashes.length / callSize,
      run: () => confirmAll(pool, batches(hashes, callSize)),
      undo: () => pool.store.rollback(before),
    };
  },
  limit: (pool) => bareUpdate(pool, perTurn, callSize, callSize),
};

export const rankedSelection: readonly RankedWorkload[] = [reap, take, sweep, idleSweep, gossip, revise, confirm];
