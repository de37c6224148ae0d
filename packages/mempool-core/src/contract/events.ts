import type { Cause } from './cause.ts';
import type { DropReason } from './drop-reason.ts';
import type { ChainPoint, Counters, KnownStage, Stage } from './transaction.ts';

/** A transaction changed its stage (E1). */
export interface TransactionEvent extends Counters {
  readonly kind: 'transaction';
  /** The number of the event: from 1, without gaps, in commit order. */
  readonly eventSeq: number;
  /**
   * When the call was committed that made the event, in milliseconds since 1970 by the pool's clock (E5). `null` if an
   * older version wrote it.
   */
  readonly at: number | null;
  readonly hash: string;
  readonly seq: number;
  /** The new stage. */
  readonly stage: KnownStage;
  /** Why it changed (E6). An event of an older version has the likeliest cause. */
  readonly cause: Cause;
  /** The status before the call. */
  readonly previous: { readonly stage: Stage } & Counters;
  /** The confirming block of a Confirmed or Finalized transaction, else `null`. */
  readonly point: ChainPoint | null;
  /** The reason of a Dropped transaction, else `null`. */
  readonly reason: DropReason | null;
  /** The hash of the transaction that took its place. Left out unless the cause is `replaced` (P24). */
  readonly replacedBy?: string;
  /** How often the transaction went out until then. */
  readonly attempts: number;
  /** The `at` of the call that received the transaction; `null` if that is not known. */
  readonly receivedAt: number | null;
}

/** A block was applied or undone (E1). */
export interface BlockEvent {
  readonly kind: 'block';
  readonly eventSeq: number;
  /** As in `TransactionEvent`. */
  readonly at: number | null;
  readonly action: 'applied' | 'undone';
  readonly point: ChainPoint;
  /** The tick of the block. */
  readonly tick: number;
  /** The node whose lease came with the call; `null` if there was no lease. */
  readonly nodeId: string | null;
  /** The term of that lease. */
  readonly term: number | null;
}

/**
 * Why a transaction was parked (P24): held back (P20), below the limit `minPriority` (P26), or because something that it
 * requires is not there (P2).
 */
export type ParkedReason = 'held' | 'below-floor' | 'missing';

interface PlaceChange {
  readonly eventSeq: number;
  /** As in `TransactionEvent`. */
  readonly at: number | null;
  readonly hash: string;
  readonly seq: number;
}

/** A Pending transaction is ready that was parked before the call (P24). Its stage did not change. */
export interface ReadyEvent extends PlaceChange {
  readonly kind: 'ready';
}

/** A Pending transaction is parked that was not before the call (P24). If it has just become Pending, that event comes first. */
export interface ParkedEvent extends PlaceChange {
  readonly kind: 'parked';
  readonly reason: ParkedReason;
}

/** Events that tell where a Pending transaction of a priority pool stands. */
export type PlaceEvent = ReadyEvent | ParkedEvent;

/** An event as stores keep it, with its number. */
export type StoreEvent = TransactionEvent | BlockEvent | PlaceEvent;

/**
 * An event as a step has it: without `at`, which all events of a call share (E5). A `receivedAt` of 0 stands for that
 * time.
 */
export type StepEvent =
  | Omit<TransactionEvent, 'at'>
  | Omit<BlockEvent, 'at'>
  | Omit<ReadyEvent, 'at'>
  | Omit<ParkedEvent, 'at'>;

/** What every delivered event has beside its content. */
export interface Delivered {
  /** The position after this event: give it to `subscribe` as `after` to resume there (O7). */
  readonly cursor: string;
}

/**
 * Events were lost to this reader (E3): the store trimmed them before they were read, it was restored to an earlier
 * state, or the pool was made anew. The next event is the oldest that the store keeps.
 */
export interface LaggedEvent extends Delivered {
  readonly kind: 'lagged';
  /**
   * Number of events lost. 0 if the store was restored to an earlier state and the reader gets all events since: some of
   * them may have numbers that it has seen before, so what it counted no longer holds.
   */
  readonly missed: number;
  /** True if the pool was made anew: what was known of the earlier one no longer holds (O7). */
  readonly restarted: boolean;
}

/** What `subscribe` delivers. */
export type MempoolEvent =
  | (TransactionEvent & Delivered)
  | (BlockEvent & Delivered)
  | (ReadyEvent & Delivered)
  | (ParkedEvent & Delivered)
  | LaggedEvent;

/** A page of the event log of a store. */
export interface EventPage {
  readonly events: readonly StoreEvent[];
  /** Number of the oldest event kept; `last + 1` if none is kept. */
  readonly oldest: number;
  /** Number of the last event written; 0 before the first. */
  readonly last: number;
  /** Identifies the pool. It changes if the pool is made anew, so that a reader notices. */
  readonly epoch: string;
  /** How often the store lost commits since it was opened, if it can notice that; default 0. */
  readonly rewinds?: number;
}

/** What a backend offers so that core can build event streams on it. */
export interface EventSource {
  /** Up to `limit` events after the number `after`, oldest first, without gaps. */
  readEvents(after: number, limit: number): Promise<EventPage> | EventPage;
  /**
   * Calls `listener` after each commit that wrote events, on any node, and after a lost connection is restored. Extra calls
   * do no harm. Returns a function that removes the listener.
   */
  onEvents(listener: () => void): () => void;
}
