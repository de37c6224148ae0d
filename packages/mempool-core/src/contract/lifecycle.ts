import type { Counters, KnownStage, LiveStage, Stage } from './transaction.ts';
import { isLive } from './transaction.ts';

/** The verbs that move a transaction from stage to stage. `seen` and `unseen` are the two lists of a block. */
export const lifecycleVerbs = [
  'receive',
  'markInflight',
  'markAcknowledged',
  'release',
  'drop',
  'seen',
  'unseen',
] as const;
export type LifecycleVerb = (typeof lifecycleVerbs)[number];
export type MoveVerb = 'markInflight' | 'markAcknowledged' | 'release';

/**
 * The transition table (L11): the stage a verb leads to. A pair that is not listed changes nothing. Ageing (L5, L6) and
 * `rollback` (L9) depend on ticks and are functions below.
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

/** When a transaction becomes final (L6): counts of blocks, integers or `Infinity` (never); below 1 acts as 1. */
export interface Thresholds {
  /** Confirmations that make a Confirmed transaction Finalized. Default 6. */
  readonly finalizeThreshold: number;
  /** Non-confirmations that drop one in flight as stale. Default 2. */
  readonly dropThreshold: number;
}

export const defaultThresholds: Thresholds = { finalizeThreshold: 6, dropThreshold: 2 };

/** The reason of a transaction dropped by L6. */
const staleReason = 'stale';

/**
 * What a store keeps of a transaction beside its payload and points. Counters are derived from ticks (L12), so that a
 * block costs nothing for the transactions it does not mention.
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
  /** `null` unless Dropped. */
  readonly reason: string | null;
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

/** A live record: ticks only. */
export function live(hash: string, seq: number, stage: LiveStage, tick: number): TxState {
  return { hash, seq, stage, tick, confirmations: 0, nonConfirmations: 0, reason: null };
}

/** The record that a final stage leaves behind, with its counters frozen. */
export function finalized(txState: TxState, tick: number): TxState {
  const { hash, seq, reason } = txState;
  const { confirmations, nonConfirmations } = countersAt(txState, tick);
  return { hash, seq, stage: 'Finalized', tick: txState.tick, confirmations, nonConfirmations, reason };
}

export function dropped(txState: TxState, tick: number, reason: string): TxState {
  const { hash, seq } = txState;
  const { confirmations, nonConfirmations } = countersAt(txState, tick);
  return { hash, seq, stage: 'Dropped', tick: 0, confirmations, nonConfirmations, reason };
}

/** Confirmed transactions whose confirming tick is at most this are Finalized at `tick` (L6); -Infinity: none. */
export function finalizableTick(tick: number, thresholds: Thresholds): number {
  return tick - thresholds.finalizeThreshold + 1;
}

/** Propagated and Acknowledged ones whose tick is at most this are Dropped as stale at `tick` (L6); -Infinity: none. */
export function droppableTick(tick: number, thresholds: Thresholds): number {
  return tick - thresholds.dropThreshold;
}

/** The first tick whose point stays kept after the block of `tick` (L9): a rollback of `maxRollback` blocks ends there. */
export function keptFrom(tick: number, maxRollback: number, floor: number): number {
  return Math.max(floor, tick - maxRollback);
}

/** Whether a block seen at `sighting` still counts for a transaction received at `tick` (L13). */
export function inclusionCounts(inclusion: number, tick: number, thresholds: Thresholds): boolean {
  return inclusion > tick - thresholds.finalizeThreshold;
}

/** The stage a verb leads to, or `null` where it changes nothing (L11). */
export function nextStage(stage: Stage, verb: LifecycleVerb): KnownStage | null {
  return transitions[stage][verb] ?? null;
}

/** L6 for one transaction after a block: what it is at `tick`. */
export function settle(txState: TxState, tick: number, thresholds: Thresholds): TxState {
  if (!isLive(txState.stage) || txState.stage === 'Pending') return txState;
  if (txState.stage === 'Confirmed')
    return txState.tick <= finalizableTick(tick, thresholds) ? finalized(txState, tick) : txState;
  return txState.tick <= droppableTick(tick, thresholds) ? dropped(txState, tick, staleReason) : txState;
}
