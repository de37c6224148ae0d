import type { Limits } from './limits.ts';
import type { CheckedVerdict } from './verdict.ts';

/** The claim that a `take` call puts on a transaction: its owner has the transaction until `untilMs`. */
export interface ClaimRecord {
  /** The operation id of the `take` call. */
  readonly id: string;
  readonly owner: string;
  /** When the claim ends, in milliseconds since 1970 by the pool's clock. */
  readonly untilMs: number;
}

/**
 * The data that a priority pool stores for a live or logged transaction, in addition to its state and its payload. Entries
 * are immutable, so a change makes a new object. The sort key is not stored, because it is computed from the entries.
 */
export interface Entry {
  readonly hash: string;
  readonly seq: number;
  /** Length of the payload. */
  readonly bytes: number;
  readonly verdict: CheckedVerdict;
  /** The peers that sent the transaction, in the order of their first send; at most 64. */
  readonly sources: readonly string[];
  /** The version of its verdict. It starts at 1, and each revision adds 1. */
  readonly version: number;
  /** When it was admitted, in milliseconds since 1970 by the pool's clock. */
  readonly admittedAt: number;
  readonly admittedHeight: number;
  /** The chain height at which its verdict was given. A rollback below that height lowers it. */
  readonly checkedHeight: number;
  /**
   * Its number in the order in which transactions became ready; 0 if it was never ready. It gets a new number when it
   * becomes ready again.
   */
  readonly gossipSeq: number;
  readonly claim: ClaimRecord | null;
  /**
   * The transaction is held back at least until this time, in milliseconds since 1970 (P20). Absent if it is not held
   * back, which saves memory because few entries are.
   */
  readonly notBefore?: number;
  /**
   * When the transaction was parked after its admission, in milliseconds since 1970 (P22). Absent if it is not parked, or
   * if its admission parked it.
   */
  readonly parkedAt?: number;
}

/** Returns a copy of the entry that is held back until `time`, or not held back if `time` is `undefined`. */
export function heldUntil(entry: Entry, time: number | undefined): Entry {
  if (time !== undefined) return { ...entry, notBefore: time };
  const { notBefore: _, ...free } = entry;
  return free;
}

/** Returns a copy of the entry with this `parkedAt`. Pass `undefined` if it is not parked, or if its admission parked it. */
export function parkedSince(entry: Entry, time: number | undefined): Entry {
  if (time !== undefined) return { ...entry, parkedAt: time };
  const { parkedAt: _, ...free } = entry;
  return free;
}

/** The changes that one call makes in a priority pool, in addition to states, payloads, events and blocks. */
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

/** The changes that one call makes in a fifo pool, in addition to states, events and blocks. */
export interface FifoStep {
  /** The claim on every transaction that the step puts in flight; `null` if it makes no claim. */
  readonly taken: ClaimRecord | null;
  /** The claim that the step extends, with its new end; `null` if it extends none. */
  readonly extended: Pick<ClaimRecord, 'id' | 'untilMs'> | null;
  /** The new limit; `null` if the step does not change it. */
  readonly maxTxs: number | null;
}

/** The change of one record. */
export interface RecordStep {
  readonly name: string;
  /** The new value; `null` if the record is deleted. */
  readonly value: Uint8Array | null;
  /** The version of the value. It becomes the pool's last record version. */
  readonly version: number;
  /** Total size of the pool's records after the change, names included. */
  readonly bytes: number;
}
