import { anyStore } from 'mempool-core/backend';
import type { BenchBackend } from '../limits/backend.ts';
import { median } from '../report/spread.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { freshCalls, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { Crew } from './crew.ts';
import { head, type Measure } from './measure.ts';
import type { WriterVerbs } from './writer-node.ts';

const program = new URL('./writer-node.ts', import.meta.url);
const writers = 8;
const stored = 5_000;
/** How long all write before anything is measured, so that each runs compiled code; then before each phase. */
const compileMs = 4_000;
const warmMs = 500;
const phaseMs = 2_000;

/** A pool in which every newcomer of higher priority evicts another. */
const fullPool = { ...priorityOptions, maxTxs: stored, maxFinalized: 10_000, maxEvents: 10_000 } as const;

let pools = 0;

/** Lets processes write to a full priority pool, each of the first `count` for some time. @returns the milliseconds of each of its calls */
type Write = (count: number) => Promise<number[][]>;

/** Starts the writers of a new pool, and ends them after `work`. */
async function withWriters<T>(
  { subject, path }: BenchBackend,
  size: number,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const pool = `bench-writers-${process.pid}-${pools++}`;
  const filler = anyStore(await subject.open(pool, fullPool));
  for (const call of freshCalls(stored, pricedTransactions)) await filler.receive(call);
  await filler.close();
  const crew = new Crew<WriterVerbs>(program, writers, path, pool);
  try {
    await crew.begin();
    await crew.tell('open', fullPool);
    await crew.tell('write', size, compileMs);
    return await work(async (count) => {
      await crew.tellFirst(count, 'write', size, warmMs);
      return crew.tellFirst(count, 'write', size, phaseMs);
    });
  } finally {
    await crew.end();
    await subject.destroy?.(pool);
  }
}

/** What several writers reach together. */
interface Reached {
  /** Calls in a time together ÷ those of one writer alone in the same time. */
  readonly together: number;
  /** Calls of the slowest writer ÷ those of the fastest. */
  readonly fair: number;
  /** The 99th percentile of a call's time ÷ its median. */
  readonly late: number;
}

function reachedBy(backend: BenchBackend, size: number, round: number): Promise<Reached> {
  return withWriters(backend, size, async (write) => {
    const first = round % 2 === 0 ? await write(1) : null;
    const took = await write(writers);
    const alone = first ?? (await write(1));
    const counts = took.map(({ length }) => length);
    const times = took.flat().sort((a, b) => a - b);
    return {
      together: times.length / alone.flat().length,
      fair: Math.min(...counts) / Math.max(...counts),
      late: (times[Math.floor(0.99 * times.length)] ?? Number.NaN) / median(times),
    };
  });
}

function goalsBy(backend: BenchBackend, size: number): Measure[] {
  // The same runs give all figures.
  const reached: Promise<Reached>[] = [];
  const measure = (figure: keyof Reached, title: string, goal: Parameters<typeof head>[2]): Measure => {
    let taken = 0;
    return {
      ...head(backend.subject, title, goal, '×', 3),
      warmups: 0,
      async sample(round) {
        const at = taken++;
        reached[at] ??= reachedBy(backend, size, round);
        return (await reached[at])[figure];
      },
    };
  };
  const what = `priority receive by ${size} in ${writers} processes, each newcomer evicts`;
  return [
    measure('together', `${what} ÷ in one`, ['at least', 0.8]),
    measure('fair', `${what}: calls of the slowest ÷ of the fastest`, ['at least', 0.7]),
    measure('late', `${what}: 99th percentile ÷ median`, ['at most', 10]),
  ];
}

/** Many processes that write to one priority pool at once, in which every newcomer evicts. A small run has none: it would start processes only. */
export function writersGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  if (atMost(context, stored) < stored) return [];
  return [1, 100].flatMap((size) => goalsBy(backend, size));
}
