/** A transaction as a caller hands it in. The payload is opaque: no store decodes it. */
export interface Transaction {
  /** Identity: lower-case hex of 1–64 bytes. */
  readonly hash: string;
  readonly payload: Uint8Array;
  /** 0–65,535: a Cardano era, an EVM transaction type; 0 where it has no meaning. */
  readonly payloadType: number;
}

/** Where a block stands on the chain: its slot (a safe integer) and its hash (64 lower-case hex digits). */
export interface ChainPoint {
  readonly slot: number;
  readonly hash: string;
}

/** In this order: a stage's place is its code on disk and on the wire. Never reorder. */
export const knownStages = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized', 'Dropped'] as const;

export type KnownStage = (typeof knownStages)[number];
export type FinalStage = 'Finalized' | 'Dropped';
export type LiveStage = Exclude<KnownStage, FinalStage>;
export type InflightStage = Exclude<LiveStage, 'Pending'>;
/** What `checkStatus` may answer: `Unknown` for a hash that is neither live nor in the log. */
export type Stage = KnownStage | 'Unknown';

export interface Counters {
  /** Blocks from the confirming one to the tip, both included; 0 unless Confirmed or Finalized. */
  readonly confirmations: number;
  /** Blocks applied since it went in flight that did not carry it. */
  readonly nonConfirmations: number;
}

/** A live transaction as the peeking verbs hand it out. Its bytes belong to the caller. */
export interface StoredTransaction extends Transaction, Counters {
  /** Place in arrival order; never changes while the transaction lives (L1, L8). */
  readonly seq: number;
  readonly stage: LiveStage;
  readonly confirmedAt: ChainPoint | null;
}

/** What became of one hash (O3). */
export interface TransactionStatus extends Counters {
  readonly hash: string;
  readonly stage: Stage;
  readonly confirmedAt: ChainPoint | null;
  /** Why it was dropped; `null` unless Dropped. */
  readonly reason: string | null;
}

/** One entry of the terminal log (O4). Its bytes belong to the caller. */
export interface LogEntry extends Transaction, Counters {
  /** Number in the log, from 1 without gaps or repeats. */
  readonly logSeq: number;
  readonly seq: number;
  readonly stage: FinalStage;
  /** The confirming block; `null` unless Finalized. */
  readonly point: ChainPoint | null;
  readonly reason: string | null;
}

/** The last block applied, and how many have been applied so far. */
export interface Tip {
  /** `null` before the first block and after `rollback(null)`. */
  readonly point: ChainPoint | null;
  /** Blocks applied so far, undone ones not counted. */
  readonly tick: number;
}

export function samePoint(a: ChainPoint, b: ChainPoint): boolean {
  return a.slot === b.slot && a.hash === b.hash;
}

export function isLive(stage: KnownStage): stage is LiveStage {
  return stage !== 'Finalized' && stage !== 'Dropped';
}

export function isInflight(stage: KnownStage): stage is InflightStage {
  return isLive(stage) && stage !== 'Pending';
}
