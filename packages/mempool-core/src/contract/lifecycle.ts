import type { Counters, KnownStage, LiveStage, Stage } from './transaction.ts';
import { isLive } from './transaction.ts';

/** The inputs that move a transaction to another stage: six verbs, and the lists `seen` and `unseen` of a block. */
export const lifecycleVerbs = [
  'receive',
  'markInflight',
  'markAcknowledged',
  'complete',
  'release',
  'drop',
  'seen',
  'unseen',
] as const;
/** One of `lifecycleVerbs`. */
export type LifecycleVerb = (typeof lifecycleVerbs)[number];
/** The verbs that move a transaction to a stage without a reason. */
export type MoveVerb = 'markInflight' | 'markAcknowledged' | 'complete' | 'release';

/**
 * The transition table (L11): for each stage and verb, the next stage. A pair that is not listed changes nothing. Ageing
 * (L5, L6) and `rollback` (L9) depend on ticks, so functions below implement them.
 */
export const transitions: { readonly [S in Stage]: { readonly [V in LifecycleVerb]?: KnownStage } } = {
  Unknown: { receive: 'Pending' },
  Pending: { markInflight: 'Propagated', drop: 'Dropped', seen: 'Confirmed' },
  Propagated: {
    markAcknowledged: 'Acknowledged',
    complete: 'Finalized',
    release: 'Pending',
    drop: 'Dropped',
    seen: 'Confirmed',
    unseen: 'Pending',
  },
  Acknowledged: {
    complete: 'Finalized',
    release: 'Pending',
    drop: 'Dropped',
    seen: 'Confirmed',
    unseen: 'Pending',
  },
  Confirmed: { unseen: 'Pending' },
  Finalized: {},
  Dropped: { receive: 'Pending', seen: 'Confirmed' },
};

/** After how many blocks a transaction becomes final (L6). Each is an integer of at least 1, or `Infinity` for never. */
export interface Thresholds {
  /** Number of confirmations at which a Confirmed transaction becomes Finalized. Default 6. */
  readonly finalizeThreshold: number;
  /** Number of non-confirmations at which a transaction in flight is dropped as `stale`. Default `Infinity`, never. */
  readonly dropThreshold: number;
}

/** The default thresholds of a pool. */
export const defaultThresholds: Thresholds = { finalizeThreshold: 6, dropThreshold: Number.POSITIVE_INFINITY };

/** The reason with which L6 and L14 drop a transaction. */
export const staleReason = 'stale';

/**
 * When a transaction was received and sent (O8, L14). The facts change only when it is sent, so successive states share
 * the object. In a step, a time of 0 stands for the time of the call (E5).
 */
export interface Facts {
  /** The time of the call that received it; `null` if the stored record was damaged (M2). */
  readonly receivedAt: number | null;
  /** How often it was sent; at most `maxAttempts`. */
  readonly attempts: number;
  /** The time of the call that last sent it; `null` if it was never sent, or if the stored record was damaged. */
  readonly sentAt: number | null;
}

/** Attempts are counted up to this number (O8). */
const maxAttempts = 65_535;

/** The facts of a transaction that this call receives. */
export const arriving: Facts = Object.freeze({ receivedAt: 0, attempts: 0, sentAt: null });
/** The facts of a transaction whose stored record is damaged (M2). */
export const noFacts: Facts = Object.freeze({ receivedAt: null, attempts: 0, sentAt: null });

/** Returns the facts of a transaction that this call sends. */
export function sent({ receivedAt, attempts }: Facts): Facts {
  return { receivedAt, attempts: Math.min(attempts + 1, maxAttempts), sentAt: 0 };
}

/** Returns the facts to store: times of 0 are replaced by `at`, the time of the call. */
export function factsAt({ receivedAt, attempts, sentAt }: Facts, at: number | null): Facts {
  return { receivedAt: receivedAt === 0 ? at : receivedAt, attempts, sentAt: sentAt === 0 ? at : sentAt };
}

/**
 * The lifecycle state of a transaction: all that a store keeps of it, except its payload and its chain point. Counters are
 * derived from ticks (L12), so a block does not update the transactions that it does not name.
 */
export interface TxState {
  readonly hash: string;
  readonly seq: number;
  readonly stage: KnownStage;
  /**
   * The tick at which it went in flight (Propagated, Acknowledged), the tick of the confirming block (Confirmed, Finalized),
   * or 0 (Pending, Dropped, and Finalized by `complete`).
   */
  readonly tick: number;
  /** The count at the time when it became final; 0 while it is live. */
  readonly confirmations: number;
  /** The count at the time when it became final; 0 while it is live. */
  readonly nonConfirmations: number;
  /** The stored text of the reason of a Dropped transaction (`reasonText`), else `null`. */
  readonly reason: string | null;
  /** A Pending transaction is held back at least until this time, in milliseconds since 1970 (P20). Absent if it is not. */
  readonly notBefore?: number;
  readonly facts: Facts;
}

/** True if a block confirmed the transaction. A completed one is in no block (L15). */
export function isInBlock({ stage, tick }: Pick<TxState, 'stage' | 'tick'>): boolean {
  return stage === 'Confirmed' || (stage === 'Finalized' && tick > 0);
}

/** Returns the counters of a transaction at a tick (L12). */
export function countersAt(txState: TxState, tick: number): Counters {
  switch (txState.stage) {
    case 'Pending':
      return { confirmations: 0, nonConfirmations: 0 };
    case 'Propagated':
    case 'Acknowledged':
      return { confirmations: 0, nonConfirmations: tick - txState.tick };
    case 'Confirmed':
      return { confirmations: tick - txState.tick + 1, nonConfirmations: 0 };
    case 'Finalized':
    case 'Dropped':
      return { confirmations: txState.confirmations, nonConfirmations: txState.nonConfirmations };
  }
}

/** Returns the state of a live transaction. */
export function live(hash: string, seq: number, stage: LiveStage, tick: number, facts: Facts): TxState {
  return { hash, seq, stage, tick, confirmations: 0, nonConfirmations: 0, reason: null, facts };
}

/** Returns the state of a Pending transaction. It is held back until `notBefore`, unless that is `undefined` (P20). */
export function pending(hash: string, seq: number, notBefore: number | undefined, facts: Facts): TxState {
  const state = live(hash, seq, 'Pending', 0, facts);
  return notBefore === undefined ? state : { ...state, notBefore };
}

/** Returns the state after the transaction becomes Finalized at `tick`, with its final counters. */
function finalized(txState: TxState, tick: number): TxState {
  const { hash, seq, reason, facts } = txState;
  const { confirmations, nonConfirmations } = countersAt(txState, tick);
  return { hash, seq, stage: 'Finalized', tick: txState.tick, confirmations, nonConfirmations, reason, facts };
}

/** Returns the state after `complete` at `tick` (L15). No block has tick 0, so no rollback undoes it. */
export function completed(txState: TxState, tick: number): TxState {
  return { ...finalized(txState, tick), tick: 0 };
}

/** Returns the state after the transaction is Dropped at `tick`, with its final counters. */
export function dropped(txState: TxState, tick: number, reason: string): TxState {
  const { hash, seq, facts } = txState;
  const { confirmations, nonConfirmations } = countersAt(txState, tick);
  return { hash, seq, stage: 'Dropped', tick: 0, confirmations, nonConfirmations, reason, facts };
}

/** The last tick whose confirmed transactions the block of `tick` makes Finalized (L6); `-Infinity`: it makes none. */
export function finalizableTick(tick: number, thresholds: Thresholds): number {
  return tick - thresholds.finalizeThreshold + 1;
}

/** The last tick since when a transaction may be in flight and be dropped as stale by the block of `tick` (L6); `-Infinity`: none. */
export function droppableTick(tick: number, thresholds: Thresholds): number {
  return tick - thresholds.dropThreshold;
}

/** Transactions sent before this time have been in flight too long at `nowMs` (L14); `-Infinity`: none. */
export function overdueBefore(nowMs: number, inflightTtlMs: number): number {
  return nowMs - inflightTtlMs;
}

/**
 * Returns the first tick whose point is still kept after the block of `tick` (L9). A rollback of `maxRollback` blocks ends
 * there. `floor` is the first tick kept so far.
 */
export function keptFrom(tick: number, maxRollback: number, floor: number): number {
  return Math.max(floor, tick - maxRollback);
}

/** True if a transaction received at `tick` becomes Confirmed because the block of tick `inclusion` carried it (L13). */
export function inclusionCounts(inclusion: number, tick: number, thresholds: Thresholds): boolean {
  return inclusion > tick - thresholds.finalizeThreshold;
}

/** Returns the stage that a verb leads to, or `null` if it changes nothing (L11). */
export function nextStage(stage: Stage, verb: LifecycleVerb): KnownStage | null {
  return transitions[stage][verb] ?? null;
}

/** Returns the state of a transaction after the thresholds are checked for the block of `tick` (L6). */
export function settle(txState: TxState, tick: number, thresholds: Thresholds): TxState {
  if (!isLive(txState.stage) || txState.stage === 'Pending') return txState;
  if (txState.stage === 'Confirmed')
    return txState.tick <= finalizableTick(tick, thresholds) ? finalized(txState, tick) : txState;
  return txState.tick <= droppableTick(tick, thresholds) ? dropped(txState, tick, staleReason) : txState;
}
