import type { Cause } from './cause.ts';
import type { DropReason } from './drop-reason.ts';
import type { ChainPoint, Counters, KnownStage, Stage } from './transaction.ts';

/** A transaction changed its stage (E1). */
export interface TransactionEvent extends Counters {
  readonly kind: 'transaction';
  /** The number of the event: from 1, without gaps, in commit order. */
  readonly eventSeq: number;
  /** When the call that made the event was committed, in milliseconds since 1970 by the pool's clock (E5). */
  readonly at: number;
  readonly hash: string;
  readonly seq: number;
  /** The new stage. */
  readonly stage: KnownStage;
  /** Why it changed (E6). */
  readonly cause: Cause;
  /** The status before the call. */
  readonly previous: { readonly stage: Stage } & Counters;
  /** The confirming block of a Confirmed or Finalized transaction, else `null`. */
  readonly point: ChainPoint | null;
  /** The reason of a Dropped transaction, else `null`. */
  readonly reason: DropReason | null;
  /** The hash of the transaction that replaced it. Absent unless the cause is `replaced` (P24). */
  readonly replacedBy?: string;
  /** How often the transaction had been sent by then. */
  readonly attempts: number;
  /** The `at` of the call that received the transaction; `null` if its stored record was damaged (M2). */
  readonly receivedAt: number | null;
}

/** A block was applied or undone (E1). */
export interface BlockEvent {
  readonly kind: 'block';
  readonly eventSeq: number;
  /** As in `TransactionEvent`. */
  readonly at: number;
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
 * Why a transaction was parked (P24): `held` if it is held back (P20), `below-floor` if it is below the limit `minPriority`
 * (P26), `missing` if a tag that it requires is missing (P2).
 */
export type ParkedReason = 'held' | 'below-floor' | 'missing';

interface PlaceChange {
  readonly eventSeq: number;
  /** As in `TransactionEvent`. */
  readonly at: number;
  readonly hash: string;
  readonly seq: number;
}

/** A parked transaction became ready (P24). Its stage is still Pending. */
export interface ReadyEvent extends PlaceChange {
  readonly kind: 'ready';
}

/** A transaction became parked (P24). If the same call made it Pending, its `transaction` event comes first. */
export interface ParkedEvent extends PlaceChange {
  readonly kind: 'parked';
  readonly reason: ParkedReason;
}

/** An event about whether a Pending transaction of a priority pool is ready or parked. */
export type PlaceEvent = ReadyEvent | ParkedEvent;

/** An event as stores keep it, with its number. */
export type StoreEvent = TransactionEvent | BlockEvent | PlaceEvent;

/**
 * An event in a step. It has no `at` because all events of a call share it (E5). A `receivedAt` of 0 stands for that time.
 */
export type StepEvent =
  | Omit<TransactionEvent, 'at'>
  | Omit<BlockEvent, 'at'>
  | Omit<ReadyEvent, 'at'>
  | Omit<ParkedEvent, 'at'>;

/** The field that every delivered event has in addition to its content. */
export interface Delivered {
  /** The position after this event. Pass it to `subscribe` as `after` to resume there (O7). */
  readonly cursor: string;
}

/**
 * This reader lost events (E3), because the store trimmed them before they were read, because the store was restored to an
 * earlier state, or because the pool was made anew. The next event is the oldest that the store keeps.
 */
export interface LaggedEvent extends Delivered {
  readonly kind: 'lagged';
  /**
   * Number of events lost. It is 0 if the store was restored to an earlier state and the reader receives all events since.
   * Their numbers may repeat numbers that the reader has seen before, so discard state that was built from those events.
   */
  readonly missed: number;
  /** True if the pool was made anew. Discard all state about the earlier pool (O7). */
  readonly restarted: boolean;
}

/** An event as `subscribe` delivers it. */
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
  /** Identifies the pool. It changes if the pool is made anew. */
  readonly epoch: string;
  /** How often the store lost commits since it was opened. Absent (0) if the store cannot detect that. */
  readonly rewinds?: number;
}

/** The methods of a backend from which core builds event streams. */
export interface EventSource {
  /** Returns up to `limit` events after the number `after`, oldest first, without gaps. */
  readEvents(after: number, limit: number): Promise<EventPage> | EventPage;
  /**
   * Calls `listener` after each commit that wrote events, on any node, and after a lost connection is restored. Extra calls
   * do no harm. Returns a function that removes the listener.
   */
  onEvents(listener: () => void): () => void;
}
