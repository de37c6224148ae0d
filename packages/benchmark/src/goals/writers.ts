import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { anyStore } from 'mempool-core/backend';
import type { BenchBackend } from '../limits/backend.ts';
import { median } from '../report/spread.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { freshCalls, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import type { BenchSubject } from '../setup/subject.ts';
import { head, type Measure } from './measure.ts';

const program = new URL('./writer-node.ts', import.meta.url);
const writers = 8;
const stored = 5_000;
/** How long all write before anything is measured, so that each runs compiled code; then before each phase. */
const compileMs = 4_000;
const warmMs = 500;
const phaseMs = 2_000;

/** A pool in which every newcomer of higher priority evicts another. */
export const fullPool = { ...priorityOptions, maxTxs: stored, maxFinalized: 10_000, maxEvents: 10_000 } as const;

/** What a writer is told. It answers with the milliseconds of each call. */
export type Told =
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'write'; readonly size: number; readonly ms: number };

let pools = 0;

/** Processes that write to a full priority pool. */
class Writers {
  readonly #subject: BenchSubject;
  readonly #path: string;
  #pool = '';
  #nodes: ChildProcess[] = [];

  constructor({ subject, path }: BenchBackend) {
    this.#subject = subject;
    this.#path = path;
  }

  async begin(size: number): Promise<void> {
    this.#pool = `bench-writers-${process.pid}-${pools++}`;
    const filler = anyStore(await this.#subject.open(this.#pool, fullPool));
    for (const call of freshCalls(stored, pricedTransactions)) await filler.receive(call);
    await filler.close();
    this.#nodes = Array.from({ length: writers }, () => fork(program, [this.#path, this.#pool]));
    await Promise.all(this.#nodes.map((node) => once(node, 'message')));
    await this.#tell(writers, { kind: 'open' });
    await this.#tell(writers, { kind: 'write', size, ms: compileMs });
  }

  /** @returns for each of the first `count` the milliseconds of each call that it made in the time */
  async write(count: number, size: number): Promise<number[][]> {
    await this.#tell(count, { kind: 'write', size, ms: warmMs });
    return this.#tell(count, { kind: 'write', size, ms: phaseMs });
  }

  async end(): Promise<void> {
    const there = this.#nodes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = there.map((node) => once(node, 'exit'));
    for (const node of there) node.kill('SIGKILL');
    await Promise.all(gone);
    if (this.#nodes.length > 0) await this.#subject.destroy?.(this.#pool);
    this.#nodes = [];
  }

  #tell(count: number, told: Told): Promise<number[][]> {
    return Promise.all(
      this.#nodes.slice(0, count).map(async (node) => {
        const gone = once(node, 'exit').then(() => Promise.reject(new Error('a writer has ended')));
        const answered = once(node, 'message');
        node.send(told);
        const [took] = await Promise.race([answered, gone]);
        return took;
      }),
    );
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

async function reachedBy(all: Writers, size: number, round: number): Promise<Reached> {
  try {
    await all.begin(size);
    const first = round % 2 === 0 ? await all.write(1, size) : null;
    const took = await all.write(writers, size);
    const alone = first ?? (await all.write(1, size));
    const counts = took.map(({ length }) => length);
    const times = took.flat().sort((a, b) => a - b);
    return {
      together: times.length / alone.flat().length,
      fair: Math.min(...counts) / Math.max(...counts),
      late: (times[Math.floor(0.99 * times.length)] ?? Number.NaN) / median(times),
    };
  } finally {
    await all.end();
  }
}

function goalsBy(backend: BenchBackend, size: number): Measure[] {
  // The same runs give all figures.
  const reached: Promise<Reached>[] = [];
  const all = new Writers(backend);
  const measure = (figure: keyof Reached, title: string, goal: Parameters<typeof head>[2]): Measure => {
    let taken = 0;
    return {
      ...head(backend.subject, title, goal, '×', 3),
      warmups: 0,
      async sample(round) {
        const at = taken++;
        reached[at] ??= reachedBy(all, size, round);
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
