import type { BlockEvent, ChainPoint, Delivered, MempoolEvent, TransactionEvent } from 'mempool-core';
import { invalid } from 'mempool-core/backend';

/** A block was applied or undone. */
export interface BlockChange {
  /** The position after its event. */
  readonly cursor: string;
  readonly eventSeq: number;
  /** The time of the event, in milliseconds since 1970; `null` if an older version wrote it. */
  readonly at: number | null;
  readonly action: 'applied' | 'undone';
  readonly point: ChainPoint;
  readonly tick: number;
  /** The leader that applied or undid it; `null` if the call had no lease. */
  readonly nodeId: string | null;
  readonly term: number | null;
  /** How many transactions of the pool became Confirmed with it; 0 if it was undone. */
  readonly confirmed: number;
}

export interface BlocksQuery {
  /** The maximum number of blocks, 1–200; default 50. */
  readonly limit?: number | undefined;
}

const blocksLength = 200;
const defaultLimit = 50;

type CountedChange = { -readonly [K in keyof BlockChange]: BlockChange[K] };

/** The last blocks applied and undone, oldest first, in memory. */
export class BlockTimeline {
  #items: CountedChange[] = [];
  /** The last event that was counted. */
  #seq = 0;
  /** True after a loss: numbers may have gone back with the store. */
  #mayGoBack = false;

  /** Adds an event. It ignores events that it has already, so that events may be read again. */
  add(event: MempoolEvent): void {
    if (event.kind === 'lagged') {
      this.#mayGoBack = true;
      return;
    }
    if (this.#mayGoBack) this.#goBack(event.eventSeq);
    if (event.eventSeq <= this.#seq) return;
    this.#seq = event.eventSeq;
    if (event.kind === 'block') this.#push(event);
    if (event.kind === 'transaction') this.#count(event);
  }

  clear(): void {
    this.#items = [];
    this.#seq = 0;
  }

  /** Returns the last changes, newest first. @throws `ERR_MEMPOOL_INVALID` naming `limit` */
  last({ limit = defaultLimit }: BlocksQuery = {}): BlockChange[] {
    if (!Number.isInteger(limit) || limit < 1 || limit > blocksLength)
      throw invalid('limit', `a whole number from 1 to ${blocksLength}`);
    return this.#items
      .slice(-limit)
      .reverse()
      .map((item) => ({ ...item }));
  }

  #goBack(seq: number): void {
    this.#mayGoBack = false;
    this.#items = this.#items.filter(({ eventSeq }) => eventSeq < seq);
    this.#seq = Math.min(this.#seq, seq - 1);
  }

  #push({ cursor, eventSeq, at, action, point, tick, nodeId, term }: BlockEvent & Delivered): void {
    this.#items.push({ cursor, eventSeq, at, action, point, tick, nodeId, term, confirmed: 0 });
    if (this.#items.length > blocksLength) this.#items.shift();
  }

  /** The transactions of a block come right after it. */
  #count({ stage, cause, point }: TransactionEvent): void {
    const block = this.#items.at(-1);
    if (cause !== 'seen' || stage !== 'Confirmed' || block?.point.hash !== point?.hash) return;
    if (block !== undefined) block.confirmed += 1;
  }
}
