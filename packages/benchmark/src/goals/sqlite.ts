import type { BenchBackend } from '../limits/backend.ts';
import { bareJoin, bareTable } from '../limits/table.ts';
import { clockOf } from '../setup/clock.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { freshCalls, freshTransactions } from '../setup/samples.ts';
import type { BenchSubject } from '../setup/subject.ts';
import { FilledPool } from '../workloads/pools.ts';
import { inCalls } from '../workloads/workload.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';
import { readGoals } from './reads.ts';
import { coalescingGoal, receiveGoal } from './receive.ts';

export function sqliteGoals({ subject }: BenchBackend, context: BenchContext): Measure[] {
  const receive = (what: string, size: number, count: number): Measure => {
    const title = `${what} ÷ bare insert with a unique hash, synchronous = FULL`;
    return receiveGoal(head(subject, title, ['at least', 0.75], '×', 9), subject, {
      ...{ size, count: atMost(context, count) },
      // The table is gone before the pool's turn, as the pool is before the table's.
      async limit(calls) {
        const table = bareTable(context.folder);
        try {
          return await timed(() => inCalls(calls, (call) => table.insert(call)));
        } finally {
          table.close();
        }
      },
    });
  };
  return [
    receive('receive alone', 1, 300),
    receive('receive by 100', 100, 5_000),
    coalescingGoal(subject, 5, atMost(context, 300)),
    confirmGoal(subject, context.folder, atMost(context, 100_000)),
    ...readGoals(subject, {
      names: { find: 'bare join by primary key', page: 'bare iterate over the joined rows' },
      stored: atMost(context, 20_000),
      // A read waits for nothing.
      clock: clockOf('heap'),
      open: () => bareJoin(context.folder),
    }),
  ];
}

function confirmGoal(subject: BenchSubject, folder: string, inflight: number): Measure {
  let table: ReturnType<typeof bareTable> | undefined;
  const pool = new FilledPool(subject, inflight, 'inflight');
  const block = `confirm of a block of 100, ${inflight.toLocaleString('en')} in flight`;
  return {
    ...head(subject, `visiting every record ÷ ${block}`, ['at least', 50], '×', 9),
    async prepare() {
      table = bareTable(folder);
      for (const transactions of freshCalls(inflight, freshTransactions)) table.insert(transactions);
      await pool.fill();
    },
    async sample(round) {
      const before = (await pool.store.tip()).point;
      const seen = pool.stored.some(100);
      const ratio = await inTurn(
        round,
        () => timed(() => table?.ageAll()),
        () => timed(() => pool.confirm(seen)),
      );
      await pool.store.rollback(before ?? 'origin');
      await pool.store.markInflight(seen);
      return ratio;
    },
    async end() {
      await pool.close();
      table?.close();
    },
  };
}
