import { checkHash, checkRead } from '../boundary/arguments.ts';
import { checkCount } from '../boundary/basic-checks.ts';
import { callNames } from '../boundary/option-names.ts';
import { endable } from '../boundary/unless-aborted.ts';
import type { ReadContext, ReadOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import type { RankedCandidate } from '../contract/pool-verbs.ts';
import type { PoolReads } from './pool-reads.ts';

/** Options of `bestIterator`. */
export interface BestWalkOptions extends ReadOptions {
  /** Returns false to skip a transaction and its descendants. It is called once for each transaction. */
  readonly filter?: ((candidate: RankedCandidate) => boolean) | undefined;
  /**
   * Also deliver transactions that become ready at, or move to, a place before the point reached. Each read then begins at
   * the best transaction again, so its cost grows with the length of the walk. Default false.
   */
  readonly newcomers?: boolean | undefined;
  /** How many transactions one read fetches, 1–1,000. With 1, each is read just before its delivery. Default 100. */
  readonly readAhead?: number | undefined;
}

type BestReads = Pick<PoolReads, 'best'>;

const maxReadAhead = 1_000;
const defaultReadAhead = 100;

/**
 * A walk over the ready transactions of a priority pool, best first, while the pool changes (P25). Each hash is delivered
 * once, and only after all its Pending parents. The walk keeps the hashes that it met and up to `readAhead` transactions. A
 * second loop continues where the first one stopped. Use it in one loop at a time.
 */
export class BestWalk implements AsyncIterable<RankedCandidate> {
  readonly #reads: BestReads;
  readonly #call: WalkCall | { readonly fault: unknown };
  /** Delivered and not marked since: what depends on them may be delivered. */
  readonly #valid = new Set<string>();
  /** Delivered or passed over: no second time. */
  readonly #met = new Set<string>();
  #point: string | undefined;

  constructor(reads: BestReads, options: BestWalkOptions | undefined) {
    this.#reads = reads;
    this.#call = callOf(options);
  }

  /**
   * Skips the transaction and all its descendants from now on, in this walk only. The pool does not change.
   * @throws `ERR_MEMPOOL_INVALID` if `hash` is not a hash
   */
  markInvalid(hash: string): void {
    this.#met.add(checkHash('hash', hash));
    this.#valid.delete(hash);
  }

  [Symbol.asyncIterator](): AsyncIterator<RankedCandidate, undefined> {
    const call = this.#call;
    if ('fault' in call) return { next: () => Promise.reject(call.fault) };
    return endable((signal) => this.#walk(call, signal), call.signal);
  }

  async *#walk(call: WalkCall, signal: AbortSignal): AsyncGenerator<RankedCandidate, undefined> {
    for (;;) {
      const read = await this.#read(call, signal);
      if (read.length === 0) return undefined;
      for (const candidate of read) {
        signal.throwIfAborted();
        this.#point = candidate.key;
        if (this.#passes(candidate, call)) yield candidate;
      }
    }
  }

  /** The next ones that the walk has not met; none at the end of the order. */
  async #read({ newcomers, readAhead }: WalkCall, signal: AbortSignal): Promise<RankedCandidate[]> {
    let after = newcomers ? undefined : this.#point;
    const limit = newcomers ? Math.min(maxReadAhead, readAhead + this.#met.size) : readAhead;
    for (;;) {
      const page = await this.#reads.best({ after, limit, signal });
      after = page.at(-1)?.key;
      if (after === undefined) return [];
      const unmet = page.filter(({ hash }) => !this.#met.has(hash));
      if (unmet.length > 0) return unmet.slice(0, readAhead);
    }
  }

  #passes(candidate: RankedCandidate, { filter }: WalkCall): boolean {
    const { hash, parents } = candidate;
    if (this.#met.has(hash)) return false;
    this.#met.add(hash);
    if (!parents.every((parent) => this.#valid.has(parent)) || !filter(candidate)) return false;
    this.#valid.add(hash);
    return true;
  }
}

interface WalkCall extends ReadContext {
  readonly filter: (candidate: RankedCandidate) => boolean;
  readonly newcomers: boolean;
  readonly readAhead: number;
}

/** Checks the options. A bad one becomes the error of the first step. */
function callOf(options: BestWalkOptions | undefined): WalkCall | { readonly fault: unknown } {
  try {
    const { signal } = checkRead(options, callNames.bestWalk);
    const { filter = () => true, newcomers = false, readAhead = defaultReadAhead } = options ?? {};
    if (typeof filter !== 'function') throw invalid('filter', 'a function');
    if (typeof newcomers !== 'boolean') throw invalid('newcomers', 'true or false');
    if (checkCount('readAhead', readAhead) < 1 || readAhead > maxReadAhead)
      throw invalid('readAhead', 'a whole number from 1 to 1,000');
    return { signal, filter, newcomers, readAhead };
  } catch (fault) {
    return { fault };
  }
}
