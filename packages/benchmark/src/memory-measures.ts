import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Transaction } from 'mempool-core';
import { inTurn, type Measure, timed } from './measure.ts';
import { batches, freshTransactions } from './sample.ts';
import { type BenchSubject, withPool } from './subject.ts';

const perRound = 20_000;
const heapCount = 100_000;

/** The limit: what any in-memory store must do for a transaction, and nothing else. */
function bareMap(transactions: readonly Transaction[]): Map<string, Buffer> {
  const map = new Map<string, Buffer>();
  for (const { hash, payload } of transactions) if (!map.has(hash)) map.set(hash, Buffer.from(payload));
  return map;
}

function receive(subject: BenchSubject, title: string, batchSize: number, goal: number): Measure {
  return {
    backend: subject.name,
    title,
    goal: { kind: 'at least', value: goal },
    unit: '×',
    rounds: 15,
    warmups: 6,
    async sample(round) {
      const forLimit = freshTransactions(perRound);
      const calls = batches(freshTransactions(perRound), batchSize);
      const [limit, ours] = await inTurn(
        round,
        () => timed(() => bareMap(forLimit)),
        () =>
          withPool(subject, (store) =>
            timed(async () => {
              for (const call of calls) await store.receive(call);
            }),
          ),
      );
      return limit / ours;
    },
  };
}

function heap(subject: BenchSubject, path: string): Measure {
  return {
    backend: subject.name,
    title: `heap per transaction, the payload outside it, ${heapCount.toLocaleString('en')} Pending, a fresh process`,
    goal: { kind: 'at most', value: 350 },
    unit: 'bytes',
    rounds: 1,
    async sample() {
      const child = fileURLToPath(new URL('./heap.ts', import.meta.url));
      const flags = ['--expose-gc', '--conditions=mempool-source', child, path, String(heapCount)];
      const { stdout } = await promisify(execFile)(process.execPath, flags);
      return Number(stdout);
    },
  };
}

export function memoryMeasures(subject: BenchSubject, path: string): Measure[] {
  return [
    receive(subject, 'receive by 100 ÷ bare Map check, set and copy', 100, 0.75),
    receive(subject, 'receive alone, awaited ÷ bare Map check, set and copy', 1, 0.5),
    heap(subject, path),
  ];
}

/** How much dearer a bare Map is at `n` entries than at a thousand. */
export function mapGrowth(n: number): number {
  const costAt = (size: number): number => {
    const map = bareMap(freshTransactions(size));
    const more = freshTransactions(2_000);
    const start = performance.now();
    for (const { hash, payload } of more) if (!map.has(hash)) map.set(hash, Buffer.from(payload));
    return performance.now() - start;
  };
  costAt(1_000);
  return Math.max(1, costAt(n) / costAt(1_000));
}
