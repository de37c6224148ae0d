import { Mempool, type Transaction } from 'mempool-core';
import type { Clock } from '../setup/clock.ts';
import { batches, freshTransactions } from '../setup/samples.ts';
import { type BenchSubject, withPool } from '../setup/subject.ts';
import { inCalls } from '../workloads/workload.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

interface Receive {
  /** Transactions of a round, and of a call. */
  readonly count: number;
  readonly size: number;
  readonly clock?: Clock;
  /** Milliseconds in which the limit takes the calls into an empty structure. */
  limit(calls: readonly Transaction[][]): Promise<number>;
}

/** The speed of `receive` into a new pool, as a part of the limit's. */
export function receiveGoal(
  measure: ReturnType<typeof head>,
  subject: BenchSubject,
  { count, size, clock, limit }: Receive,
): Measure {
  return {
    ...measure,
    async sample(round) {
      const forLimit = batches(freshTransactions(count), size);
      const forOurs = batches(freshTransactions(count), size);
      return await inTurn(
        round,
        () => limit(forLimit),
        () => withPool(subject, (store) => timed(() => inCalls(forOurs, (call) => store.receive(call)), clock)),
      );
    },
  };
}

/** Throughput of 100 callers of a `Mempool`, each awaiting its own call, ÷ that of one. */
export function coalescingGoal(subject: BenchSubject, goal: number, each: number): Measure {
  const run = async (callers: number, count: number): Promise<number> =>
    withPool(subject, async (store) => {
      const mempool = new Mempool(store);
      const shares = batches(freshTransactions(count), count / callers);
      const submitAll = (share: Transaction[]): Promise<void> => inCalls(share, (one) => mempool.submit(one));
      return (await timed(() => Promise.all(shares.map(submitAll)))) / count;
    });
  return {
    ...head(subject, '100 callers ÷ one caller, transactions a second', ['at least', goal], '×', 7),
    sample: (round) =>
      inTurn(
        round,
        () => run(1, each),
        () => run(100, each * 20),
      ),
  };
}
