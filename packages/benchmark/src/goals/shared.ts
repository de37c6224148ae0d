import { Mempool } from 'mempool-core';
import { type BenchSubject, withPool } from '../backends/subject.ts';
import { inTurn, type Measure, timed } from '../runner/measure.ts';
import { batches, freshTransactions } from '../workloads/sample.ts';

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
