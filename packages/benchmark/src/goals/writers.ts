import { anyStore } from 'mempool-core/backend';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { freshCalls, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { Crew } from './crew.ts';
import { head, type Measure } from './measure.ts';
import type { WriterVerbs, Wrote } from './writer-node.ts';

const program = new URL('./writer-node.ts', import.meta.url);
const writers = 8;
const size = 100;
const stored = 5_000;
/** How long all write before anything is measured, so that each runs compiled code; then before each phase. */
const compileMs = 4_000;
const warmMs = 500;
const phaseMs = 4_000;

/** A pool in which every newcomer of higher priority evicts another. */
const fullPool = { ...priorityOptions, maxTxs: stored, maxFinalized: 10_000, maxEvents: 10_000 } as const;

let pools = 0;

/** Lets the first `count` processes write to a full priority pool for some time. @returns the calls of each */
type Write = (count: number) => Promise<Wrote[]>;

/** Starts the writers of a new pool, and ends them after `work`. */
async function withWriters<T>({ subject, path }: BenchBackend, work: (write: Write) => Promise<T>): Promise<T> {
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

interface Reached {
  /** Calls in a time together ÷ those of one writer alone in the same time. */
  readonly together: number;
  /** Calls of the slowest writer ÷ those of the fastest. */
  readonly fair: number;
  readonly unavailable: number;
}

function reachedBy(backend: BenchBackend, round: number): Promise<Reached> {
  return withWriters(backend, async (write) => {
    const first = round % 2 === 0 ? await write(1) : null;
    const all = await write(writers);
    const [alone] = (first ?? (await write(1))) as [Wrote];
    const counts = all.map(({ answered }) => answered);
    return {
      together: counts.reduce((sum, count) => sum + count, 0) / alone.answered,
      fair: Math.min(...counts) / Math.max(...counts),
      unavailable: all.reduce((sum, { unavailable }) => sum + unavailable, 0),
    };
  });
}

/** Many processes that write to one priority pool at once, in which every newcomer evicts. A small run has none: it would start processes only. */
export function writersGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  if (atMost(context, stored) < stored) return [];
  // The same runs give all figures.
  const reached: Promise<Reached>[] = [];
  const what = `saturated nodes: priority receive by ${size} in ${writers} processes, each newcomer evicts`;
  const measure = (
    figure: keyof Reached,
    title: string,
    goal: Parameters<typeof head>[2],
    unit: Measure['unit'],
  ): Measure => {
    let taken = 0;
    return {
      ...head(backend.subject, `${what}${title}`, goal, unit, 3),
      warmups: 0,
      async sample(round) {
        const at = taken++;
        reached[at] ??= reachedBy(backend, round);
        return (await reached[at])[figure];
      },
    };
  };
  return [
    measure('together', ' ÷ in one', ['at least', 0.4], '×'),
    measure('fair', ': calls of the slowest ÷ of the fastest', ['at least', 0.3], '×'),
    measure('unavailable', ': calls rejected with ERR_MEMPOOL_UNAVAILABLE', ['at most', 0], 'calls'),
  ];
}
