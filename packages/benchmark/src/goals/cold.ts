import { anyStore } from 'mempool-core/backend';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { freshCalls, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import type { ColdVerbs } from './cold-node.ts';
import { Crew } from './crew.ts';
import { head, type Measure } from './measure.ts';

const program = new URL('./cold-node.ts', import.meta.url);
const crowd = 8;

/** Milliseconds until the first write of a process was answered, and how long its event loop was blocked at most meanwhile. */
type Figures = Awaited<ReturnType<ColdVerbs['open']>>;

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

  /** Lets new processes open the pool at once, beside so many that write. @returns the figures of each */
  async open(count: number, writers = 0): Promise<Figures[]> {
    const [beside, cold] = [this.#crew(writers), this.#crew(count)];
    try {
      await Promise.all([beside.begin(), cold.begin()]);
      await beside.tell('write');
      const figures = await cold.tell('open');
      await beside.tell('rest');
      return figures;
    } finally {
      await Promise.all([beside.end(), cold.end()]);
    }
  }

  async end(): Promise<void> {
    if (this.#name !== '') await this.#backend.subject.destroy?.(this.#name);
  }

  #crew(size: number): Crew<ColdVerbs> {
    return new Crew(program, size, this.#backend.path, this.#name);
  }
}

/** Processes that open a large priority pool for the first time: each fills a mirror of its own. */
export function coldGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  const stored = atMost(context, 100_000);
  const what = `a cold node opens a priority pool of ${stored.toLocaleString('en')}`;
  const measure = (title: string, goal: number, of: keyof Figures, count: number, writers?: number): Measure => {
    const pool = new ColdPool(backend, stored);
    return {
      ...head(backend.subject, title, ['at most', goal], 'ms', 3),
      warmups: 0,
      prepare: () => pool.fill(),
      sample: async () => Math.max(...(await pool.open(count, writers)).map((figures) => figures[of])),
      end: () => pool.end(),
    };
  };
  return [
    measure(`${what}: longest block of its event loop until its first write`, 50, 'blockMs', 1),
    measure(`${what} while another process writes: its first write is answered`, 3_000, 'tookMs', 1, 1),
    measure(`${crowd} at once: ${what}, until the last first write is answered`, 10_000, 'tookMs', crowd),
  ];
}
