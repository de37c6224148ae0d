import type { Transaction } from 'mempool-core';
import type { BenchBackend } from '../backends/backend.ts';
import { type BenchSubject, withPool } from '../backends/subject.ts';
import { BareTable } from '../limits/table.ts';
import { atMost, type BenchContext } from '../runner/context.ts';
import { inTurn, type Measure, timed } from '../runner/measure.ts';
import { sealed } from '../workloads/lifecycle.ts';
import { never } from '../workloads/policy.ts';
import { FilledPool } from '../workloads/pool.ts';
import { batches, freshPoint, freshTransactions } from '../workloads/sample.ts';
import { coalescing } from './shared.ts';

const inflightGoal = 100_000;
const large = 1_000_000;
/** Into a million: less than a fortieth more after all rounds. */
const perRound = 2_000;

/** Milliseconds into a table of its own, which is gone before the pool's turn, as the pool is before the table's. */
async function insertion(folder: string, calls: readonly Transaction[][]): Promise<number> {
  const table = new BareTable(folder);
  try {
    return await timed(() => {
      for (const call of calls) table.insert(call);
    });
  } finally {
    table.close();
  }
}

function receive(subject: BenchSubject, folder: string, batchSize: number, count: number): Measure {
  return {
    backend: subject.name,
    title: `receive ${batchSize === 1 ? 'alone' : `by ${batchSize}`} ÷ bare insert with a unique hash, synchronous = FULL`,
    goal: { kind: 'at least', value: 0.75 },
    unit: '×',
    rounds: 9,
    mostRounds: 13,
    async sample(round) {
      const forLimit = batches(freshTransactions(count), batchSize);
      const forUs = batches(freshTransactions(count), batchSize);
      const [limit, ours] = await inTurn(
        round,
        () => insertion(folder, forLimit),
        () =>
          withPool(subject, (store) =>
            timed(async () => {
              for (const batch of forUs) await store.receive(batch);
            }),
          ),
      );
      return limit / ours;
    },
  };
}

function confirm(subject: BenchSubject, folder: string, inflight: number): Measure {
  let table: BareTable | undefined;
  const pool = new FilledPool(subject, inflight);
  return {
    backend: subject.name,
    title: `visiting every record ÷ confirm of a block of 100, ${inflight.toLocaleString('en')} in flight`,
    goal: { kind: 'at least', value: 50 },
    unit: '×',
    rounds: 9,
    async prepare() {
      table = new BareTable(folder);
      for (let left = inflight; left > 0; left -= 1_000) table.insert(freshTransactions(1_000));
      await pool.fill(inflight, 'inflight');
    },
    async sample(round) {
      const { store } = pool;
      const before = await sealed(pool);
      const seen = pool.stored.some(100);
      const [visiting, ours] = await inTurn(
        round,
        () => timed(() => table?.ageAll()),
        () => timed(() => store.confirm({ point: freshPoint(), seen, unseen: [] }, never)),
      );
      await store.rollback(before);
      await store.markInflight(seen);
      return visiting / ours;
    },
    async end() {
      await pool.close();
      table?.close();
    },
  };
}

/** With the file to itself, the hash map makes up for the random index at a million. */
export function exclusiveMeasure(shared: BenchSubject, exclusive: BenchSubject): Measure {
  const many = new FilledPool(shared, large);
  const one = new FilledPool(exclusive, large);
  const run = ({ store }: FilledPool, calls: readonly Transaction[][]) =>
    timed(async () => {
      for (const call of calls) await store.receive(call);
    });
  return {
    backend: exclusive.name,
    title: 'receive by 100 at 1,000,000: shared file ÷ the file to itself',
    goal: { kind: 'at least', value: 2 },
    unit: '×',
    rounds: 9,
    async prepare() {
      await many.fill(large, 'pending');
      await one.fill(large, 'pending');
    },
    async sample(round) {
      const [forMany, forOne] = [freshTransactions(perRound), freshTransactions(perRound)];
      const [shared, alone] = await inTurn(
        round,
        () => run(many, batches(forMany, 100)),
        () => run(one, batches(forOne, 100)),
      );
      return shared / alone;
    },
    async end() {
      await many.close();
      await one.close();
    },
  };
}

export function sqliteMeasures({ subject }: BenchBackend, context: BenchContext): Measure[] {
  const { folder } = context;
  return [
    receive(subject, folder, 1, atMost(context, 300)),
    receive(subject, folder, 100, atMost(context, 5_000)),
    coalescing(subject, 5, atMost(context, 300)),
    confirm(subject, folder, atMost(context, inflightGoal)),
  ];
}
