import { checkLimit, checkRead } from '../boundary/arguments.ts';
import { checkCursor } from '../boundary/cursors.ts';
import { callNames } from '../boundary/option-names.ts';
import { checkGossip } from '../boundary/pool-arguments.ts';
import { endable } from '../boundary/unless-aborted.ts';
import { checkName } from '../boundary/verdicts.ts';
import type { PageQuery, ReadContext } from '../contract/call-options.ts';
import { isMempoolError } from '../contract/errors.ts';
import type { GossipPage, GossipQuery } from '../contract/pool-verbs.ts';
import type { ChangeSignals } from './change-signal.ts';
import type { PoolReads } from './pool-reads.ts';

/** Options of `gossip`. */
export interface GossipOptions extends PageQuery {
  /** Resume at this `cursor` of an earlier `Gossip`; default `origin`, the beginning. */
  readonly after?: string | undefined;
  /** If true, deliver no payloads, for peers that request the payloads they lack. Default false. */
  readonly hashesOnly?: boolean | undefined;
}

/**
 * A stream of the transactions to send to one peer, page by page, as they become ready. It leaves out transactions that
 * this peer sent. A transaction that becomes ready again is delivered again. The stream waits for more until the loop ends
 * or the signal aborts. If the pool was made anew (O7), it starts over with the first transaction of the new pool, because
 * the peer knows none of them. Use it in one loop at a time.
 */
export class Gossip implements AsyncIterable<GossipPage> {
  readonly #reads: PoolReads;
  readonly #changeSignals: ChangeSignals;
  readonly #call: GossipCall | { readonly fault: unknown };
  #cursor: string;

  constructor(reads: PoolReads, changeSignals: ChangeSignals, peer: string, options: GossipOptions | undefined) {
    this.#reads = reads;
    this.#changeSignals = changeSignals;
    this.#call = callOf(peer, options);
    this.#cursor = ('fault' in this.#call ? undefined : this.#call.after) ?? 'origin';
  }

  /**
   * The position after the last page that the loop has finished. Keep it to resume later. Before the first page it is
   * `after`, or `origin`.
   */
  get cursor(): string {
    return this.#cursor;
  }

  [Symbol.asyncIterator](): AsyncIterator<GossipPage, undefined> {
    const call = this.#call;
    if ('fault' in call) return { next: () => Promise.reject(call.fault) };
    return endable((signal) => this.#pages(call, signal), call.signal);
  }

  async *#pages({ limit, hashesOnly, except }: GossipCall, signal: AbortSignal): AsyncGenerator<GossipPage, undefined> {
    const changes = await this.#changeSignals.hold(signal);
    try {
      for (let seen = -1; ; ) {
        const { version } = changes;
        const page = await this.#page({ limit, hashesOnly, except, signal }, seen === version);
        seen = version;
        if (page !== null && page.items.length > 0) yield page;
        // A verdict that allows to propagate makes no event (P10), nor does waking (P20): another node may have done either.
        if (page === null || page.next === this.#cursor)
          await this.#changeSignals.nextOrAgain(changes, version, signal);
        this.#cursor = page?.next ?? this.#cursor;
      }
    } finally {
      this.#changeSignals.release(changes);
    }
  }

  /** `null`: the store is out of reach, and nothing is known to have changed (`isAgain`), so the look can wait. */
  async #page(query: Omit<GossipQuery, 'after'> & ReadContext, isAgain: boolean): Promise<GossipPage | null> {
    try {
      return await this.#reads.since({ ...query, after: this.#cursor });
    } catch (error) {
      if (isAgain && isMempoolError(error) && error.retryable) return null;
      if (!isMempoolError(error, 'ERR_MEMPOOL_CURSOR')) throw error;
      return this.#reads.since({ ...query, after: 'origin' });
    }
  }
}

interface GossipCall extends ReadContext {
  readonly after: string | undefined;
  readonly limit: number | undefined;
  readonly hashesOnly: boolean;
  readonly except: string;
}

/** Checks the arguments. A bad argument becomes the error of the first page. */
function callOf(peer: string, options: GossipOptions | undefined): GossipCall | { readonly fault: unknown } {
  try {
    const { signal } = checkRead(options, callNames.gossip);
    const except = checkName('peer', peer, 1);
    const { after, limit, hashesOnly } = options ?? {};
    checkCursor('after', 'gossip', after);
    const asked = checkGossip({ hashesOnly });
    return { signal, except, after, limit: checkLimit(limit), hashesOnly: asked.hashesOnly };
  } catch (fault) {
    return { fault };
  }
}
