import { checkRead } from '../boundary/arguments.ts';
import { checkCount, maxCallTransactions } from '../boundary/basic-checks.ts';
import { callNames } from '../boundary/option-names.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import type { CheckedRevision } from '../contract/pool-driver.ts';
import type { ReviseOptions, ReviseOutcome, StaleTransaction } from '../contract/pool-verbs.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { Application } from './application.ts';
import type { PoolReads } from './pool-reads.ts';

/** Options of `recheck`. */
export interface RecheckOptions extends ReadOptions {
  /**
   * Validate transactions whose verdict was given below this height. The default is the option `height` of the pool; one of
   * the two is required.
   */
  readonly height?: number | undefined;
  /** How many transactions are validated before other calls get their turn, 1–1,000; default 100. */
  readonly slice?: number | undefined;
}

/** The result of a recheck: numbers of transactions by outcome. */
export interface Recheck {
  readonly revised: number;
  /** Transactions that were refused, so dropped with the reason `invalid`. */
  readonly dropped: number;
  /** Transactions that received a newer verdict from another caller meanwhile. */
  readonly superseded: number;
  /** Transactions that are no longer Pending, or no longer in the pool, or damaged (M2). */
  readonly skipped: number;
  /** Hashes, at most 1,000, that keep their verdict because a limit or a cycle forbids the new one. */
  readonly unchanged: readonly string[];
}

/** Checks the options of a recheck and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkRecheck(options: RecheckOptions): Pick<RecheckParts, 'height' | 'slice' | 'signal'> {
  const { signal } = checkRead(options, callNames.recheck);
  const { slice = 100, height = Number.NaN } = options;
  if (!Number.isSafeInteger(slice) || slice < 1 || slice > maxCallTransactions)
    throw invalid('slice', `a whole number from 1 to ${maxCallTransactions}`);
  return { height: checkCount('height', height), slice, signal };
}

export interface RecheckParts {
  readonly pool: Pick<PoolReads, 'stale' | 'payloads' | 'tip'>;
  revise(revisions: readonly CheckedRevision[], options: ReviseOptions): Promise<ReviseOutcome[]>;
  readonly application: Application;
  readonly height: number;
  readonly slice: number;
  readonly signal: AbortSignal | undefined;
}

/** The most transactions that a store lists at once, so also the most that can be passed over. */
const maxListed = 1_000;

/** Validates again all transactions whose verdict was given below the height, slice by slice. */
export class Rechecker {
  readonly #parts: RecheckParts;
  readonly #counts = { revised: 0, dropped: 0, superseded: 0, skipped: 0 };
  readonly #unchanged = new Set<string>();
  readonly #passed = new Set<string>();

  constructor(parts: RecheckParts) {
    this.#parts = parts;
  }

  async run(): Promise<Recheck> {
    const { signal } = this.#parts;
    for (let slice = await this.#nextSlice(); slice.length > 0; slice = await this.#nextSlice()) {
      const revisions = await this.#revisions(slice);
      const outcomes = await this.#parts.revise(revisions, { height: this.#parts.height, signal });
      for (const outcome of outcomes) this.#count(outcome);
      await new Promise(setImmediate);
    }
    return { ...this.#counts, unchanged: [...this.#unchanged] };
  }

  /** What is done may stay on the store's list, so it is filtered out here. */
  async #nextSlice(): Promise<StaleTransaction[]> {
    const { pool, height, slice, signal } = this.#parts;
    signal?.throwIfAborted();
    const limit = Math.min(maxListed, slice + this.#unchanged.size + this.#passed.size);
    const listed = await pool.stale({ height, limit, signal });
    const isDone = (hash: string): boolean => this.#unchanged.has(hash) || this.#passed.has(hash);
    return listed.filter(({ hash }) => !isDone(hash)).slice(0, slice);
  }

  async #revisions(slice: readonly StaleTransaction[]): Promise<CheckedRevision[]> {
    const { point } = await this.#parts.pool.tip({ signal: this.#parts.signal });
    const payloads = await this.#payloads(slice.map(({ hash }) => hash));
    const tip = point?.hash ?? null;
    const revised = await Promise.all(slice.map((stale, i) => this.#revision(stale, payloads[i] ?? null, tip)));
    return revised.filter((revision) => revision !== null);
  }

  async #revision(
    { hash, version }: StaleTransaction,
    transaction: Transaction | null,
    tip: string | null,
  ): Promise<CheckedRevision | null> {
    if (transaction === null) return null;
    const { application, height, signal } = this.#parts;
    const judgement = await application.judge(transaction, tip, { occasion: 'recheck', height, signal });
    return { hash, version, answer: 'refusal' in judgement ? judgement.refusal : judgement.verdict };
  }

  /** Reads the payloads of a slice. What has left the pool, or is damaged (M2), is passed over. */
  async #payloads(hashes: readonly string[]): Promise<(Transaction | null)[]> {
    const { pool, signal } = this.#parts;
    const payloads = await pool.payloads(hashes, { signal });
    for (const [i, hash] of hashes.entries()) if (payloads[i] === null) this.#passed.add(hash);
    this.#counts.skipped += payloads.filter((transaction) => transaction === null).length;
    return payloads;
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
