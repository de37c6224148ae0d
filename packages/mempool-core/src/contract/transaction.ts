import type { DropReason } from './drop-reason.ts';

/** A transaction. The payload is opaque: no store decodes it. */
export interface Transaction {
  /**
   * The identity of the transaction: hex of 1–64 bytes. Callers may write it in upper case and with `0x`. A store returns it
   * in lower case without `0x` (M2).
   */
  readonly hash: string;
  readonly payload: Uint8Array;
  /** 0–65,535, such as a Cardano era or an EVM transaction type; 0 if the submission has none. */
  readonly payloadType: number;
}

/** Identifies a block: its slot (a safe integer, such as a block number) and its hash (64 lower-case hex digits without `0x`). */
export interface ChainPoint {
  readonly slot: number;
  readonly hash: string;
}

/** The stages of a known transaction. The index of a stage is its code on disk and on the wire: never reorder. */
export const knownStages = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized', 'Dropped'] as const;

/** The stage of a transaction that the pool knows. */
export type KnownStage = (typeof knownStages)[number];
/** The stages that end a lifecycle. A transaction in such a stage is in the terminal log. */
export type FinalStage = 'Finalized' | 'Dropped';
/** The stages of a live transaction: all but the final ones. */
export type LiveStage = Exclude<KnownStage, FinalStage>;
/** The stages in flight: sent to the network, but not final. */
export type InflightStage = Exclude<LiveStage, 'Pending'>;
/** The stages that `checkStatus` may return. `Unknown` means that the hash is neither live nor in the terminal log. */
export type Stage = KnownStage | 'Unknown';

/** Counts of blocks since a transaction was confirmed or went in flight (L12). */
export interface Counters {
  /** Blocks from the confirming block to the tip, both included; 0 unless Confirmed or Finalized. */
  readonly confirmations: number;
  /** Blocks applied since the transaction went in flight, none of which carried it. */
  readonly nonConfirmations: number;
}

/** Facts about the life of a transaction (O8). A transaction that is received again after its end begins a new life. */
export interface LifeFacts {
  /**
   * The time of the call that received it, in milliseconds since 1970 (E5). `null` for an Unknown hash, and where the stored
   * record is damaged (M2).
   */
  readonly receivedAt: number | null;
  /** How often it was sent, by `markInflight` or `take`. */
  readonly attempts: number;
}

/** A live transaction as a store returns it. The caller owns its bytes. */
export interface StoredTransaction extends Transaction, Counters, LifeFacts {
  /** Its number in order of arrival, from 1. It does not change while the transaction is live (L1, L8). */
  readonly seq: number;
  readonly stage: LiveStage;
  readonly confirmedAt: ChainPoint | null;
  /**
   * Not handed out before this time, in milliseconds since 1970 by the pool's clock (P20). The first `take` or `sweep`
   * from then on wakes it. `null` if it is not held back.
   */
  readonly notBefore: number | null;
}

/** A page of transactions, by `seq`, without damaged ones (M2). If it is empty, there are no more. */
export interface TransactionPage {
  readonly transactions: StoredTransaction[];
  /** The cursor that gets the next page. */
  readonly next: string;
}

/** The status of one hash (O3). */
export interface TransactionStatus extends Counters, LifeFacts {
  readonly hash: string;
  /** `Propagated` if it is live, but its stored stage cannot be read (M2). */
  readonly stage: Stage;
  readonly confirmedAt: ChainPoint | null;
  /** The reason of a Dropped transaction, else `null`. */
  readonly reason: DropReason | null;
  /**
   * Not handed out before this time, in milliseconds since 1970 by the pool's clock (P20). The first `take` or `sweep`
   * from then on wakes it. `null` if it is not held back.
   */
  readonly notBefore: number | null;
}

/** One entry of the terminal log: a Finalized or Dropped transaction (O4). The caller owns its bytes. */
export interface LogEntry extends Transaction, Counters, LifeFacts {
  /** The number of the entry: from 1, without gaps. */
  readonly logSeq: number;
  readonly seq: number;
  readonly stage: FinalStage;
  /** The confirming block of a Finalized transaction; `null` if it was completed (L15) or Dropped. */
  readonly point: ChainPoint | null;
  readonly reason: DropReason | null;
  /** The time of the call that ended it, in milliseconds since 1970 (E5). */
  readonly at: number;
}

/** The last block applied, and how many blocks have been applied. */
export interface Tip {
  /** The last block applied; `null` before the first one and after `rollback('origin')`. */
  readonly point: ChainPoint | null;
  /** Number of blocks applied, without those that were undone. */
  readonly tick: number;
}

/** True if both points name the same block. */
export function samePoint(a: ChainPoint, b: ChainPoint): boolean {
  return a.slot === b.slot && a.hash === b.hash;
}

/** True for every stage but Finalized and Dropped. */
export function isLive(stage: KnownStage): stage is LiveStage {
  return stage !== 'Finalized' && stage !== 'Dropped';
}

/** True for Propagated, Acknowledged and Confirmed. */
export function isInflight(stage: KnownStage): stage is InflightStage {
  return isLive(stage) && stage !== 'Pending';
}
