import type { ReceiveOptions, ReceiveOutcome, Submission } from 'mempool-core';
import { FilledPool } from './pool.ts';
import { type Priced, pricedTransactions, ranked } from './ranked-sample.ts';
import type { BenchSubject } from './subject.ts';

const pageSize = 1_000;

/** A priority pool of a subject with `n` Pending transactions. */
export class RankedPool extends FilledPool {
  #priorities: BigInt64Array | null = null;

  constructor(subject: BenchSubject, n: number) {
    super(subject, n, ranked);
  }

  /** Newcomers each of which beats the worst when the ones before it have pushed out one each; at most half as many as there are. */
  async better(wanted: number): Promise<Priced[]> {
    const priorities = await this.#sorted();
    const count = Math.max(1, Math.min(wanted, Math.floor(priorities.length / 2)));
    return pricedTransactions(count, (priorities[count - 1] ?? 0n) + 1n);
  }

  /** They took the places of the worst. */
  replaced(newcomers: readonly Priced[]): void {
    this.#priorities?.set(newcomers.map(({ verdict }) => verdict.priority));
    this.#priorities?.sort();
  }

  /** From the worst on: known from then on, as nothing but evictions changes them. */
  async #sorted(): Promise<BigInt64Array> {
    if (this.#priorities !== null) return this.#priorities;
    const found: bigint[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await this.store.best({ after, limit: pageSize });
      found.push(...page.map(({ priority }) => priority));
      if (page.length < pageSize) break;
      after = page.at(-1)?.key;
    }
    this.#priorities = BigInt64Array.from(found).sort();
    return this.#priorities;
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
