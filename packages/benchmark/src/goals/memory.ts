import type { Transaction } from 'mempool-core';
import type { BenchBackend } from '../limits/backend.ts';
import { BareMap, MapWalk } from '../limits/memory.ts';
import { clockOf } from '../setup/clock.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { inCalls } from '../workloads/workload.ts';
import { heapBytes } from './footprint.ts';
import { head, type Measure, timed } from './measure.ts';
import { readGoals } from './reads.ts';
import { receiveGoal } from './receive.ts';

export function memoryGoals({ subject, path }: BenchBackend, context: BenchContext): Measure[] {
  const clock = clockOf('heap');
  const receive = (what: string, size: number, least: number): Measure => {
    const title = `${what} ÷ bare Map check, set and copy`;
    const limit = (calls: readonly Transaction[][]): Promise<number> => {
      const map = new BareMap();
      return timed(() => inCalls(calls, (call) => map.insert(call)), clock);
    };
    const measure = head(subject, title, ['at least', least], '×', 15);
    return { ...receiveGoal(measure, subject, { size, count: atMost(context, 20_000), clock, limit }), warmups: 6 };
  };
  const count = atMost(context, 100_000);
  const heap = `heap and typed arrays per transaction beyond its payload, ${count.toLocaleString('en')} Pending, a fresh process`;
  return [
    receive('receive by 100', 100, 0.5),
    receive('receive alone, awaited', 1, 0.5),
    ...readGoals(subject, {
      names: { page: 'walk through a bare Map and copy' },
      stored: atMost(context, 20_000),
      clock,
      open: () => new MapWalk(),
    }),
    { ...head(subject, heap, ['at most', 650], 'bytes', 1), sample: () => heapBytes(path, count) },
  ];
}
