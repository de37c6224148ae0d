import type { Mempool, MempoolEvent, TransactionEvent } from 'mempool-core';
import { busy } from './problem.ts';

/** What the kept events tell of one transaction. */
export interface History {
  readonly items: readonly Omit<TransactionEvent, 'kind' | 'hash' | 'seq'>[];
  /** False: older events are no longer kept, or reading them took too long. */
  readonly complete: boolean;
}

const maxReads = 4;
const maxReadMs = 5_000;

/** Reads the life of a transaction from the event log. The log has no index by hash, so few may do it at once. */
export class Histories {
  readonly #pool: Mempool;
  #reads = 0;

  constructor(pool: Mempool) {
    this.#pool = pool;
  }

  /** @throws `Problem` 503 if too many read at once */
  async of(hash: string): Promise<History> {
    if (this.#reads >= maxReads) throw busy(`At most ${maxReads} histories may be read at once.`);
    this.#reads += 1;
    try {
      return await this.#read(hash);
    } finally {
      this.#reads -= 1;
    }
  }

  async #read(hash: string): Promise<History> {
    const items: History['items'][number][] = [];
    const { cursors, lastEventSeq } = await this.#pool.usage();
    if (lastEventSeq === 0) return { items, complete: true };
    const signal = AbortSignal.timeout(maxReadMs);
    let complete = true;
    try {
      for await (const event of await this.#pool.subscribe({ after: 'origin', signal })) {
        if (event.kind === 'lagged') complete = false;
        if (event.kind === 'transaction' && event.hash === hash) items.push(entryOf(event));
        if (event.cursor === cursors.events || isBeyond(event, lastEventSeq)) break;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      complete = false;
    }
    return { items, complete };
  }
}

/** An event that was committed after the reading began. */
function isBeyond(event: MempoolEvent, last: number): boolean {
  return event.kind !== 'lagged' && event.eventSeq > last;
}

function entryOf({ kind: _kind, hash: _hash, seq: _seq, ...entry }: TransactionEvent): History['items'][number] {
  return entry;
}
