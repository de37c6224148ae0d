import { Mempool, type MempoolStore, type Policy } from 'mempool-core';
import { fillInflight, fillPending } from './fill.ts';
import { inTurn, type Measure, timed } from './measure.ts';
import { batches, freshPoint, freshTransactions, hashesOf } from './sample.ts';
import { type BenchSubject, withPool } from './subject.ts';

/** No block of the benchmark may age the transactions that others count on. */
const never: Policy = { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: Number.POSITIVE_INFINITY };
const flatSmall = 1_000;

interface Verb {
  readonly title: string;
  /** What is stored before: `count` transactions Pending or in flight. */
  readonly fill: (store: MempoolStore, count: number) => Promise<string[]>;
  /** Prepares one call of 100 and returns it. */
  readonly call: (store: MempoolStore) => Promise<() => Promise<unknown>>;
}

async function received(store: MempoolStore): Promise<string[]> {
  const transactions = freshTransactions(100);
  await store.receive(transactions);
  return hashesOf(transactions);
}

async function marked(store: MempoolStore): Promise<string[]> {
  const hashes = await received(store);
  return store.markInflight(hashes);
}

const verbs: readonly Verb[] = [
  {
    title: 'receive of 100',
    fill: fillPending,
    call: async (store) => {
      const transactions = freshTransactions(100);
      return () => store.receive(transactions);
    },
  },
  {
    title: 'markInflight of 100',
    fill: fillPending,
    call: async (store) => {
      const hashes = await received(store);
      return () => store.markInflight(hashes);
    },
  },
  {
    title: 'confirm of a block of 100',
    fill: fillInflight,
    call: async (store) => {
      const block = { point: freshPoint(), seen: await marked(store), unseen: [] };
      return () => store.confirm(block, never);
    },
  },
  {
    title: 'checkStatus of 100',
    fill: fillPending,
    call: async (store) => {
      const hashes = await received(store);
      return () => store.checkStatus(hashes);
    },
  },
  {
    title: 'peekPending of 100',
    fill: fillPending,
    call: async (store) => () => store.peekPending({ limit: 100 }),
  },
];

const callsPerSample = 20;

async function cost({ call }: Verb, store: MempoolStore): Promise<number> {
  let milliseconds = 0;
  for (let i = 0; i < callsPerSample; i++) {
    const work = await call(store);
    const start = performance.now();
    await work();
    milliseconds += performance.now() - start;
  }
  return milliseconds;
}

/** Cost of a call with `n` stored ÷ with a thousand stored. `limitGrowth` is what the bare structure itself grows by. */
export function flatness(subject: BenchSubject, n: number, limitGrowth: () => number): Measure[] {
  return verbs.map((verb): Measure => {
    const pools: { small: MempoolStore; large: MempoolStore; names: string[] }[] = [];
    return {
      backend: subject.name,
      title: `${verb.title}: cost at ${n.toLocaleString('en')} ÷ cost at 1,000`,
      goal: { kind: 'at most', value: 2 },
      unit: '×',
      rounds: 7,
      async prepare() {
        const names = ['small', 'large'].map((size) => `bench-flat-${size}-${process.pid}`);
        const [small, large] = await Promise.all(names.map((name) => subject.open(name)));
        if (small === undefined || large === undefined) return;
        pools.push({ small, large, names });
        await verb.fill(small, flatSmall);
        await verb.fill(large, n);
      },
      async sample(round) {
        const pool = pools[0];
        if (pool === undefined) return Number.NaN;
        const [small, large] = await inTurn(
          round,
          () => cost(verb, pool.small),
          () => cost(verb, pool.large),
        );
        return large / small / (verb.title.startsWith('receive') ? limitGrowth() : 1);
      },
      async end() {
        for (const { small, large, names } of pools) {
          await Promise.all([small.close(), large.close()]);
          for (const name of names) await subject.destroy?.(name);
        }
      },
    };
  });
}

/** Throughput of 100 callers of a `Mempool`, each awaiting its own call, ÷ that of one. */
export function coalescing(subject: BenchSubject, goal: number, each: number): Measure {
  const run = async (callers: number, count: number): Promise<number> =>
    withPool(subject, async (store) => {
      const mempool = new Mempool(store);
      const shares = batches(freshTransactions(count), count / callers);
      const milliseconds = await timed(() =>
        Promise.all(
          shares.map(async (share) => {
            for (const transaction of share) await mempool.submit(transaction);
          }),
        ),
      );
      return milliseconds / count;
    });
  return {
    backend: subject.name,
    title: '100 callers ÷ one caller, transactions a second',
    goal: { kind: 'at least', value: goal },
    unit: '×',
    rounds: 7,
    async sample(round) {
      const [one, hundred] = await inTurn(
        round,
        () => run(1, each),
        () => run(100, each * 20),
      );
      return one / hundred;
    },
  };
}

export { never };
