import type { ReadOptions } from '../contract/call-options.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { PoolVerbs, ReviseOutcome, Revision, StaleTransaction } from '../contract/pool-verbs.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { Application } from './application.ts';

export interface RecheckOptions extends ReadOptions {
  /** What was checked below this height is checked again; default: the height that the pool is told. */
  readonly height?: number | undefined;
  /** How many are checked before others have their turn, 1–1,000; default 100. */
  readonly slice?: number | undefined;
}

/** How many came to which end. */
export interface Recheck {
  readonly revised: number;
  /** Refused now: Dropped(invalid). */
  readonly dropped: number;
  /** Somebody else had checked them meanwhile. */
  readonly superseded: number;
  /** Not Pending any more, or gone. */
  readonly skipped: number;
  /** Still as they were: their new verdict breaks a bound, or their payload cannot be read. At most 1,000. */
  readonly unchanged: readonly string[];
}

export interface RecheckParts {
  readonly pool: Pick<PoolVerbs, 'stale' | 'payloads' | 'revise'>;
  readonly application: Application;
  readonly height: number;
  readonly slice: number;
  readonly signal: AbortSignal | undefined;
}

/** The most that a store lists, and so the most that can be passed over. */
const maxListed = 1_000;

/** Asks the application again about all that was checked below the height, slice by slice. */
export class Rechecker {
  readonly #parts: RecheckParts;
  readonly #counts = { revised: 0, dropped: 0, superseded: 0, skipped: 0 };
  readonly #unchanged = new Set<string>();

  constructor(parts: RecheckParts) {
    this.#parts = parts;
  }

  async run(): Promise<Recheck> {
    const { signal } = this.#parts;
    for (let slice = await this.#nextSlice(); slice.length > 0; slice = await this.#nextSlice()) {
      const revisions = await this.#revisions(slice);
      const outcomes = await this.#parts.pool.revise(revisions, { height: this.#parts.height, signal });
      for (const outcome of outcomes) this.#count(outcome);
      await new Promise(setImmediate);
    }
    return { ...this.#counts, unchanged: [...this.#unchanged] };
  }

  /** What stays as it is stays on the list: it is passed over. */
  async #nextSlice(): Promise<StaleTransaction[]> {
    const { pool, height, slice, signal } = this.#parts;
    signal?.throwIfAborted();
    const limit = Math.min(maxListed, slice + this.#unchanged.size);
    const listed = await pool.stale({ height, limit, signal });
    return listed.filter(({ hash }) => !this.#unchanged.has(hash)).slice(0, slice);
  }

  async #revisions(slice: readonly StaleTransaction[]): Promise<Revision[]> {
    const payloads = await this.#payloads(slice.map(({ hash }) => hash));
    const revised = await Promise.all(slice.map((stale, i) => this.#revision(stale, payloads[i] ?? null)));
    return revised.filter((revision) => revision !== null);
  }

  async #revision({ hash, version }: StaleTransaction, transaction: Transaction | null): Promise<Revision | null> {
    if (transaction === null) return null;
    const { application, height, signal } = this.#parts;
    const judgement = await application.judge(transaction, { occasion: 'recheck', height, signal });
    return { hash, version, answer: 'refusal' in judgement ? judgement.refusal : judgement.verdict };
  }

  /** A damaged one does not keep the rest of its slice from being read (M2). */
  async #payloads(hashes: readonly string[]): Promise<(Transaction | null)[]> {
    const { pool, signal } = this.#parts;
    try {
      const payloads = await pool.payloads(hashes, { signal });
      for (const transaction of payloads) if (transaction === null) this.#counts.skipped += 1;
      return payloads;
    } catch (error) {
      const damaged = isMempoolError(error, 'ERR_MEMPOOL_CORRUPT') ? error.details.hash : undefined;
      if (damaged === undefined || !hashes.includes(damaged)) throw error;
      this.#unchanged.add(damaged);
      return hashes.map(() => null);
    }
  }

  #count(outcome: ReviseOutcome): void {
    switch (outcome.kind) {
      case 'limit':
      case 'cycle':
        this.#unchanged.add(outcome.hash);
        break;
      case 'revised':
      case 'dropped':
      case 'superseded':
      case 'skipped':
        this.#counts[outcome.kind] += 1;
        break;
    }
  }
}
