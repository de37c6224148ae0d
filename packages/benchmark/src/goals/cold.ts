import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { anyStore } from 'mempool-core/backend';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { freshCalls, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { head, type Measure } from './measure.ts';

const program = new URL('./cold-node.ts', import.meta.url);
const crowd = 8;

/** `open`: opens the pool and writes to it once. `write`: writes until `rest`. */
export type ColdTold = 'open' | 'write' | 'rest';

export interface ColdFigures {
  /** Milliseconds until the first write of a process was answered. */
  readonly tookMs: number;
  /** How long its event loop was blocked at most meanwhile. */
  readonly blockMs: number;
}

let pools = 0;

/** A large pool, and processes that open it. */
class ColdPool {
  readonly #backend: BenchBackend;
  readonly #stored: number;
  #name = '';

  constructor(backend: BenchBackend, stored: number) {
    this.#backend = backend;
    this.#stored = stored;
  }

  async fill(): Promise<void> {
    this.#name = `bench-cold-${process.pid}-${pools++}`;
    const store = anyStore(await this.#backend.subject.open(this.#name, priorityOptions));
    for (const call of freshCalls(this.#stored, pricedTransactions)) await store.receive(call);
    await store.close();
  }

  /** Lets new processes open the pool at once, beside one that writes if asked. @returns the figures of each */
  async open(count: number, beside: 'a writer' | 'nobody'): Promise<ColdFigures[]> {
    const nodes = Array.from({ length: count + 1 }, () => fork(program, [this.#backend.path, this.#name]));
    try {
      await Promise.all(nodes.map(answerOf));
      const [writer, ...cold] = nodes as [ChildProcess, ...ChildProcess[]];
      if (beside === 'a writer') await tell(writer, 'write');
      const figures = await Promise.all(cold.map((node) => tell(node, 'open')));
      if (beside === 'a writer') await tell(writer, 'rest');
      return figures;
    } finally {
      await Promise.all(nodes.map(end));
    }
  }

  async end(): Promise<void> {
    if (this.#name !== '') await this.#backend.subject.destroy?.(this.#name);
  }
}

async function answerOf(node: ChildProcess): Promise<ColdFigures> {
  const gone = once(node, 'exit').then(() => Promise.reject(new Error('a process that opens the pool has ended')));
  const [figures] = await Promise.race([once(node, 'message'), gone]);
  return figures;
}

function tell(node: ChildProcess, told: ColdTold): Promise<ColdFigures> {
  const answered = answerOf(node);
  node.send(told);
  return answered;
}

async function end(node: ChildProcess): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return;
  const gone = once(node, 'exit');
  node.kill('SIGKILL');
  await gone;
}

/** Processes that open a large priority pool for the first time: each fills a mirror of its own. */
export function coldGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  const stored = atMost(context, 100_000);
  const what = `a cold node opens a priority pool of ${stored.toLocaleString('en')}`;
  const measure = ([title, goal]: readonly [string, number], sample: (pool: ColdPool) => Promise<number>): Measure => {
    const pool = new ColdPool(backend, stored);
    return {
      ...head(backend.subject, title, ['at most', goal], 'ms', 3),
      warmups: 0,
      prepare: () => pool.fill(),
      sample: () => sample(pool),
      end: () => pool.end(),
    };
  };
  const highest = (of: keyof ColdFigures, figures: readonly ColdFigures[]) => Math.max(...figures.map((f) => f[of]));
  return [
    measure([`${what}: longest block of its event loop until its first write`, 50], async (pool) =>
      highest('blockMs', await pool.open(1, 'nobody')),
    ),
    measure([`${what} while another process writes: its first write is answered`, 3_000], async (pool) =>
      highest('tookMs', await pool.open(1, 'a writer')),
    ),
    measure([`${crowd} at once: ${what}, until the last first write is answered`, 10_000], async (pool) =>
      highest('tookMs', await pool.open(crowd, 'nobody')),
    ),
  ];
}
