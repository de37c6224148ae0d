import { endable } from '../endable.ts';
import type { MempoolStore, PageQuery } from '../store.ts';
import type { GossipPage } from './pool-verbs.ts';
import type { Pulses } from './pulse.ts';

export interface GossipOptions extends PageQuery {
  /** Where an earlier one's `cursor` was; default 0: everything. */
  readonly after?: number | undefined;
  /** Without payloads, for peers that ask for what they lack. Default false. */
  readonly hashesOnly?: boolean | undefined;
}

/**
 * What one peer is to be sent, page after page, as it becomes ready: not what that peer sent itself, and again what became
 * ready again. It waits for more until it is left or its signal aborts. For one loop at a time.
 */
export class Gossip implements AsyncIterable<GossipPage> {
  readonly #store: MempoolStore;
  readonly #pulses: Pulses;
  readonly #peer: string;
  readonly #options: GossipOptions;
  #cursor: number;

  constructor(store: MempoolStore, pulses: Pulses, peer: string, options: GossipOptions) {
    this.#store = store;
    this.#pulses = pulses;
    this.#peer = peer;
    this.#options = { ...options };
    this.#cursor = options.after ?? 0;
  }

  /** All there is to know of the peer: behind everything that the loop has come back from. */
  get cursor(): number {
    return this.#cursor;
  }

  [Symbol.asyncIterator](): AsyncIterator<GossipPage, undefined> {
    return endable((signal) => this.#pages(signal), this.#options.signal);
  }

  async *#pages(signal: AbortSignal): AsyncGenerator<GossipPage, undefined> {
    const { limit, hashesOnly } = this.#options;
    const pulse = await this.#pulses.hold(signal);
    try {
      for (;;) {
        const { beat } = pulse;
        const page = await this.#store.since(this.#cursor, { limit, hashesOnly, except: this.#peer, signal });
        if (page.items.length > 0) yield page;
        if (page.next === this.#cursor) await pulse.next(beat, signal);
        this.#cursor = page.next;
      }
    } finally {
      this.#pulses.release(pulse);
    }
  }
}
