import type { BenchBackend } from '../backends/backend.ts';
import { type BenchSubject, withPool } from '../backends/subject.ts';
import { BareMap } from '../limits/map.ts';
import { clockOf } from '../runner/clock.ts';
import { atMost, type BenchContext } from '../runner/context.ts';
import { inTurn, type Measure, timed } from '../runner/measure.ts';
import { heapBytes } from '../workloads/footprint.ts';
import { batches, freshTransactions } from '../workloads/sample.ts';

const perRound = 20_000;
const heapCount = 100_000;

interface Receive {
  readonly batchSize: number;
  readonly count: number;
  readonly goal: number;
}

function receive(subject: BenchSubject, title: string, { batchSize, count, goal }: Receive): Measure {
  const clock = clockOf('heap');
  return {
    backend: subject.name,
    title,
    goal: { kind: 'at least', value: goal },
    unit: '×',
    rounds: 15,
    mostRounds: 31,
    warmups: 6,
    async sample(round) {
      const map = new BareMap();
      const forLimit = batches(freshTransactions(count), batchSize);
      const calls = batches(freshTransactions(count), batchSize);
      const [limit, ours] = await inTurn(
        round,
        () =>
          timed(() => {
            for (const call of forLimit) map.insert(call);
          }, clock),
        () =>
          withPool(subject, (store) =>
            timed(async () => {
              for (const call of calls) await store.receive(call);
            }, clock),
          ),
      );
      return limit / ours;
    },
  };
}

function heap({ subject, path }: BenchBackend, count: number): Measure {
  return {
    backend: subject.name,
    title: `heap per transaction, the payload outside it, ${count.toLocaleString('en')} Pending, a fresh process`,
    goal: { kind: 'at most', value: 350 },
    unit: 'bytes',
    rounds: 1,
    sample: () => heapBytes(path, count),
  };
}

export function memoryMeasures(backend: BenchBackend, context: BenchContext): Measure[] {
  const count = atMost(context, perRound);
  const { subject } = backend;
  return [
    receive(subject, 'receive by 100 ÷ bare Map check, set and copy', { batchSize: 100, count, goal: 0.75 }),
    receive(subject, 'receive alone, awaited ÷ bare Map check, set and copy', { batchSize: 1, count, goal: 0.5 }),
    heap(backend, atMost(context, heapCount)),
  ];
}
