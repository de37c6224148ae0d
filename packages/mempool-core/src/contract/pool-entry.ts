import type { Limits } from './limits.ts';
import type { CheckedVerdict } from './verdict.ts';

/** A claim on a transaction: `take` gave it to an owner for a time. */
export interface ClaimRecord {
  /** The operation id of the `take` call. */
  readonly id: string;
  readonly owner: string;
  /** When the claim ends, in milliseconds since 1970 by the pool's clock. */
  readonly untilMs: number;
}

/**
 * What a priority pool keeps of a transaction, live or in the log, beside its state and its payload. Entries are immutable:
 * a change makes a new object. The sort key is not stored: it follows from the entries.
 */
export interface Entry {
  readonly hash: string;
  readonly seq: number;
  /** Length of the payload. */
  readonly bytes: number;
  readonly verdict: CheckedVerdict;
  /** The peers that sent it, first one first; at most 64. */
  readonly sources: readonly string[];
  /** The number of its verdict: 1, and one more for each revision. */
  readonly version: number;
  /** When it was admitted, in milliseconds since 1970 by the pool's clock. */
  readonly admittedAt: number;
  readonly admittedHeight: number;
  /** The height of its verdict. A rollback below that height lowers it. */
  readonly checkedHeight: number;
  /**
   * Its number in the order in which transactions became ready; 0 before. It gets a new one when it becomes ready
   * again.
   */
  readonly gossipSeq: number;
  readonly claim: ClaimRecord | null;
  /**
   * P20: held back until this time, in milliseconds since 1970, or longer. Left out if it is not: a pool has many entries,
   * and few are held back.
   */
  readonly notBefore?: number;
  /**
   * P22: when it was parked, in milliseconds since 1970, if it was admitted before. Left out if it is not parked, or is
   * since its admission.
   */
  readonly parkedAt?: number;
}

/** The entry, held back until this time; `undefined`: no longer. */
export function heldUntil(entry: Entry, time: number | undefined): Entry {
  if (time !== undefined) return { ...entry, notBefore: time };
  const { notBefore: _, ...free } = entry;
  return free;
}

/** The entry, parked since this time; `undefined`: no longer, or since its admission. */
export function parkedSince(entry: Entry, time: number | undefined): Entry {
  if (time !== undefined) return { ...entry, parkedAt: time };
  const { parkedAt: _, ...free } = entry;
  return free;
}

/** What one call changes in a priority pool beside states, payloads, events and blocks. */
export interface PoolStep {
  /** New and changed entries, each hash once. An entry is deleted when its transaction leaves the log. */
  readonly entries: readonly Entry[];
  /** Tags that a block satisfied, with the tick of the block. */
  readonly satisfied: readonly (readonly [tag: string, tick: number])[];
  /** Tags that are no longer satisfied, or that no transaction requires any more. */
  readonly forgotten: readonly string[];
  /** All limits, if one changed. */
  readonly limits: Limits | null;
  /** The last gossip number given out. */
  readonly lastGossipSeq: number;
}

/** What a call writes in a fifo pool beside states, events and blocks. */
export interface FifoStep {
  /** All that the step puts in flight is under this claim. */
  readonly taken: ClaimRecord | null;
  /** The claim with this id ends later. */
  readonly extended: Pick<ClaimRecord, 'id' | 'untilMs'> | null;
  /** `null`: stays as it is. */
  readonly maxTxs: number | null;
  /** `null`, or left out in a step of an older version: stays as it is. */
  readonly acceptUntil?: number | null;
}

/** The change of one record. */
export interface RecordStep {
  readonly name: string;
  /** `null`: deleted. */
  readonly value: Uint8Array | null;
  /** Of the value, and the pool's last one. */
  readonly version: number;
  /** Of all records, after the change. */
  readonly bytes: number;
}
