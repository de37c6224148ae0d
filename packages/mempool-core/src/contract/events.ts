import type { ChainPoint, Counters, KnownStage, Stage } from './transaction.ts';

/** A transaction changed its stage (E1). */
export interface TransactionEvent extends Counters {
  readonly kind: 'transaction';
  /** From 1 without gaps, in commit order. */
  readonly eventSeq: number;
  readonly hash: string;
  readonly seq: number;
  /** The stage it reached; any return to Pending is `RolledBack`. */
  readonly stage: KnownStage | 'RolledBack';
  /** What `checkStatus` said before the call. */
  readonly previous: { readonly stage: Stage } & Counters;
  /** The confirming block of a Confirmed or Finalized transaction, else `null`. */
  readonly point: ChainPoint | null;
  /** Why it was dropped, else `null`. */
  readonly reason: string | null;
}

/** A block was applied or undone (E1). */
export interface BlockEvent {
  readonly kind: 'block';
  readonly eventSeq: number;
  readonly action: 'applied' | 'undone';
  readonly point: ChainPoint;
  /** The tick that the block has, or had. */
  readonly tick: number;
}

/** A numbered event, as stores keep it. */
export type StoreEvent = TransactionEvent | BlockEvent;

/**
 * The stream could not go on without a gap (E3): events were trimmed before they were read, or the store went back in
 * time. The next event is the oldest there is.
 */
export interface LaggedEvent {
  readonly kind: 'lagged';
  /** Events of this store that the reader cannot get any more; 0 when it went back in time and has all of its new ones. */
  readonly missed: number;
}

export type MempoolEvent = StoreEvent | LaggedEvent;

/** A page of a store's event log. */
export interface EventPage {
  readonly events: readonly StoreEvent[];
  /** Number of the oldest event kept; `last + 1` when none is. */
  readonly oldest: number;
  /** Number of the last event written; 0 before the first. */
  readonly last: number;
  /** Changes when the pool was made anew, so that a reader notices although the numbers fit. */
  readonly epoch: string;
}

/** What a backend gives so that core can make event streams of it. */
export interface EventSource {
  /** The events after number `after`, oldest first, at most `limit`; none is left out between them. */
  readEvents(after: number, limit: number): Promise<EventPage> | EventPage;
  /**
   * Calls `listener` after every commit that wrote events, whichever node made it, and when a lost connection is back; a
   * call too many does no harm. Returns a function that ends it.
   */
  onEvents(listener: () => void): () => void;
}
