import type { Limits } from './limits.ts';
import type { CheckedVerdict } from './verdict.ts';

/** What is in flight because somebody took it. */
export interface ClaimRecord {
  /** The operation id of the call that took it. */
  readonly id: string;
  readonly owner: string;
  /** Milliseconds since 1970 by the pool's clock. */
  readonly untilMs: number;
}

/**
 * What a priority pool keeps of a transaction that is live or in the log, beside its life and its payload. Never changed: a
 * later state is another object. Its place in the order is not kept: it follows from what the pool holds.
 */
export interface Entry {
  readonly hash: string;
  readonly seq: number;
  /** Of the payload. */
  readonly bytes: number;
  readonly verdict: CheckedVerdict;
  /** Peers that sent it, in that order, at most 64. */
  readonly sources: readonly string[];
  /** Counts verdicts, from 1. */
  readonly version: number;
  /** When it was first taken in. */
  readonly admittedAt: number;
  readonly admittedHeight: number;
  /** The height its verdict was given at; lower, where a block below that was undone since. */
  readonly checkedHeight: number;
  /** Its number among what became ready; 0 before. A new one whenever it becomes ready again. */
  readonly gossipSeq: number;
  readonly lease: ClaimRecord | null;
}

/** What one call changes beside lives, payloads, events and blocks. */
export interface PoolStep {
  /** Later states, or new ones: by hash, each once. An entry goes when its transaction leaves the log. */
  readonly entries: readonly Entry[];
  /** Tags that became satisfied on the chain, with the block's tick. */
  readonly satisfied: readonly (readonly [tag: string, tick: number])[];
  /** Tags that are not, any more, or that nothing asks for. */
  readonly forgotten: readonly string[];
  /** All of them, where one was changed. */
  readonly limits: Limits | null;
  /** The newest given out. */
  readonly lastGossipSeq: number;
}
