import type { ReceiveOptions, ReceiveOutcome, Submission } from 'mempool-core';
import type { BenchSubject } from '../backends/subject.ts';
import { FilledPool } from './pool.ts';
import { type Priced, ranked } from './ranked-sample.ts';
import { Standings } from './standings.ts';

const pageSize = 1_000;

/** A priority pool of a subject with `n` Pending transactions. */
export class RankedPool extends FilledPool {
  #standings: Standings | null = null;

  constructor(subject: BenchSubject, n: number) {
    super(subject, n, ranked);
  }

  /** Newcomers for it while it is full. */
  async better(wanted: number): Promise<Priced[]> {
    this.#standings ??= new Standings(await this.#priorities());
    return this.#standings.better(wanted);
  }

  /** They took the places of the worst. */
  replaced(newcomers: readonly Priced[]): void {
    this.#standings?.replaced(newcomers);
  }

  /** Asked for once, as nothing but evictions changes them from then on. */
  async #priorities(): Promise<bigint[]> {
    const found: bigint[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await this.store.best({ after, limit: pageSize });
      found.push(...page.map(({ priority }) => priority));
      if (page.length < pageSize) return found;
      after = page.at(-1)?.key;
    }
  }
}

/** Receives call by call, and looks at the answers once the clock has stopped. */
export class Admission {
  readonly #outcomes: ReceiveOutcome[][] = [];

  async run({ store }: RankedPool, calls: readonly Submission[][], options?: ReceiveOptions): Promise<void> {
    for (const call of calls) this.#outcomes.push(await store.receive(call, options));
  }

  /** @throws Error where one was not let in: its cost would be that of a refusal */
  check(): void {
    const refused = this.#outcomes.flat().find(({ kind }) => kind !== 'received');
    if (refused !== undefined) throw new Error(`a transaction was not let in: ${refused.kind}`);
  }
}
