import type { Counters, KnownStage, LiveStage, Stage } from './transaction.ts';
import { isLive } from './transaction.ts';

/** What moves a transaction to another stage: five verbs, and the lists `seen` and `unseen` of a block. */
export const lifecycleVerbs = [
  'receive',
  'markInflight',
  'markAcknowledged',
  'release',
  'drop',
  'seen',
  'unseen',
] as const;
/** One of `lifecycleVerbs`. */
export type LifecycleVerb = (typeof lifecycleVerbs)[number];
/** The verbs that only move a transaction between live stages. */
export type MoveVerb = 'markInflight' | 'markAcknowledged' | 'release';

/**
 * The transition table (L11): the stage that a verb leads to. A pair that is not listed changes nothing. Ageing (L5, L6)
 * and `rollback` (L9) depend on ticks; they are functions below.
 */
export const transitions: { readonly [S in Stage]: { readonly [V in LifecycleVerb]?: KnownStage } } = {
  Unknown: { receive: 'Pending' },
  Pending: { markInflight: 'Propagated', drop: 'Dropped', seen: 'Confirmed' },
  Propagated: {
    markAcknowledged: 'Acknowledged',
    release: 'Pending',
    drop: 'Dropped',
    seen: 'Confirmed',
    unseen: 'Pending',
  },
  Acknowledged: { release: 'Pending', drop: 'Dropped', seen: 'Confirmed', unseen: 'Pending' },
  Confirmed: { unseen: 'Pending' },
  Finalized: {},
  Dropped: { receive: 'Pending', seen: 'Confirmed' },
};

/** When a transaction becomes final, in blocks (L6). Integers of at least 1, or `Infinity` for never. */
export interface Thresholds {
  /** Confirmations that make a Confirmed transaction Finalized. Default 6. */
  readonly finalizeThreshold: number;
  /** Non-confirmations that drop a transaction in flight, with the reason `stale`. Default `Infinity`: never. */
  readonly dropThreshold: number;
}

/** The thresholds of a pool that is opened without others. */
export const defaultThresholds: Thresholds = { finalizeThreshold: 6, dropThreshold: Number.POSITIVE_INFINITY };

/** The reason of a transaction dropped by L6 or L14. */
export const staleReason = 'stale';

/**
 * The times of a life (O8, L14). They change only when the transaction goes out, so states share them. In a step, a time
 * of 0 stands for the time of the call (E5).
 */
export interface Facts {
  /** The `at` of the call that received it; `null` if an older version did. */
  readonly receivedAt: number | null;
  /** How often it went out; at most `maxAttempts`. */
  readonly attempts: number;
  /** The `at` of the call with which it last went out; `null` if it never did, or if an older version sent it. */
  readonly sentAt: number | null;
}

/** Attempts are counted up to this number (O8). */
const maxAttempts = 65_535;

/** The facts of a transaction that this call receives. */
export const arriving: Facts = Object.freeze({ receivedAt: 0, attempts: 0, sentAt: null });
/** The facts of a transaction that an older version stored. */
export const noFacts: Facts = Object.freeze({ receivedAt: null, attempts: 0, sentAt: null });

/** The facts of a transaction that goes out with this call. */
export function sent({ receivedAt, attempts }: Facts): Facts {
  return { receivedAt, attempts: Math.min(attempts + 1, maxAttempts), sentAt: 0 };
}

/** The facts as a store keeps them: `at` is the time of the call. */
export function factsAt({ receivedAt, attempts, sentAt }: Facts, at: number | null): Facts {
  return { receivedAt: receivedAt === 0 ? at : receivedAt, attempts, sentAt: sentAt === 0 ? at : sentAt };
}

/**
 * The lifecycle state of a transaction: all that a store keeps of it, except its payload and its chain point. Counters are
 * derived from ticks (L12), so a block costs nothing for the transactions that it does not name.
 */
export interface TxState {
  readonly hash: string;
  readonly seq: number;
  readonly stage: KnownStage;
  /**
   * Propagated, Acknowledged: the tick at which it went in flight. Confirmed, Finalized: the confirming block's tick.
   * Pending, Dropped: 0.
   */
  readonly tick: number;
  /** Frozen when it became final; 0 while live. */
  readonly confirmations: number;
  /** Frozen when it became final; 0 while live. */
  readonly nonConfirmations: number;
  /** The stored text of the reason of a Dropped transaction (`reasonText`), else `null`. */
  readonly reason: string | null;
  /** Pending, but held back until this time, in milliseconds since 1970, or longer (P20). Left out for all others. */
  readonly notBefore?: number;
  readonly facts: Facts;
}

/** The counters of a transaction at a tick (L12). */
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

/** The state of a live transaction. */
export function live(hash: string, seq: number, stage: LiveStage, tick: number, facts: Facts): TxState {
  return { hash, seq, stage, tick, confirmations: 0, nonConfirmations: 0, reason: null, facts };
}

/** The state of a Pending transaction that is held back (P20); `undefined`: it is not. */
export function pending(hash: string, seq: number, notBefore: number | undefined, facts: Facts): TxState {
  const state = live(hash, seq, 'Pending', 0, facts);
  return notBefore === undefined ? state : { ...state, notBefore };
}

/** The state after it becomes Finalized at `tick`, with its counters frozen. */
function finalized(txState: TxState, tick: number): TxState {
  const { hash, seq, reason, facts } = txState;
  const { confirmations, nonConfirmations } = countersAt(txState, tick);
  return { hash, seq, stage: 'Finalized', tick: txState.tick, confirmations, nonConfirmations, reason, facts };
}

/** The state after it is Dropped at `tick`, with its counters frozen. */
export function dropped(txState: TxState, tick: number, reason: string): TxState {
  const { hash, seq, facts } = txState;
  const { confirmations, nonConfirmations } = countersAt(txState, tick);
  return { hash, seq, stage: 'Dropped', tick: 0, confirmations, nonConfirmations, reason, facts };
}

/** At `tick`, transactions confirmed at this tick or earlier become Finalized (L6). `-Infinity`: none. */
export function finalizableTick(tick: number, thresholds: Thresholds): number {
  return tick - thresholds.finalizeThreshold + 1;
}

/** At `tick`, transactions in flight since this tick or earlier are dropped as stale (L6). `-Infinity`: none. */
export function droppableTick(tick: number, thresholds: Thresholds): number {
  return tick - thresholds.dropThreshold;
}

/** At `nowMs`, transactions that went out before this time have been in flight too long (L14). `-Infinity`: none. */
export function overdueBefore(nowMs: number, inflightTtlMs: number): number {
  return nowMs - inflightTtlMs;
}

/**
 * The first tick whose point is still kept after the block of `tick` (L9): a rollback of `maxRollback` blocks ends
 * there.
 */
export function keptFrom(tick: number, maxRollback: number, floor: number): number {
  return Math.max(floor, tick - maxRollback);
}

/** True if the block of tick `inclusion` still confirms a transaction that is received at `tick` (L13). */
export function inclusionCounts(inclusion: number, tick: number, thresholds: Thresholds): boolean {
  return inclusion > tick - thresholds.finalizeThreshold;
}

/** The stage that a verb leads to, or `null` if it changes nothing (L11). */
export function nextStage(stage: Stage, verb: LifecycleVerb): KnownStage | null {
  return transitions[stage][verb] ?? null;
}

/** The state of one transaction after the block of `tick`, by L6. */
export function settle(txState: TxState, tick: number, thresholds: Thresholds): TxState {
  if (!isLive(txState.stage) || txState.stage === 'Pending') return txState;
  if (txState.stage === 'Confirmed')
    return txState.tick <= finalizableTick(tick, thresholds) ? finalized(txState, tick) : txState;
  return txState.tick <= droppableTick(tick, thresholds) ? dropped(txState, tick, staleReason) : txState;
}
