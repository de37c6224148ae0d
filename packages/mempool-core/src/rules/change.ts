import type { TransactionEvent } from '../contract/events.ts';
import {
  countersAt,
  dropped,
  live,
  type MoveVerb,
  nextStage,
  settle,
  type Thresholds,
  type TxState,
} from '../contract/lifecycle.ts';
import type { ChainPoint, Counters, FinalStage, Stage } from '../contract/transaction.ts';
import { isLive } from '../contract/transaction.ts';
import { isLostEnd } from './damage.ts';

/**
 * One transaction's step from what it was to what it is. The plan functions below are the contract's rules as pure
 * functions: a backend loads the lives that a call names, asks for the changes, and writes them in one atomic step.
 */
export interface Change {
  /** `null`: the store did not know the hash. */
  readonly before: TxState | null;
  readonly after: TxState;
  /** What the counters were before the call. */
  readonly previous: { readonly stage: Stage } & Counters;
  /** What the counters are after it. */
  readonly counters: Counters;
}

/** A change that ends a life: it makes a log entry. */
export function isFinal(change: Change): change is Change & { after: { stage: FinalStage } } {
  return !isLive(change.after.stage);
}

/** Shared by all: a pool of a million makes one of each less. */
const nothing: Counters = Object.freeze({ confirmations: 0, nonConfirmations: 0 });
const unknown: Change['previous'] = Object.freeze({ stage: 'Unknown', ...nothing });

/** From one life to the next: what the counters were at the one tick, and are at the other. */
export function changeOf(before: TxState | null, after: TxState, tickBefore: number, tickAfter: number): Change {
  const previous = before === null ? unknown : previousOf(before, tickBefore);
  const counters = after.stage === 'Pending' ? nothing : countersAt(after, tickAfter);
  return { before, after, previous, counters };
}

function previousOf(before: TxState, tick: number): Change['previous'] {
  const { confirmations, nonConfirmations } = countersAt(before, tick);
  return { stage: before.stage, confirmations, nonConfirmations };
}

/**
 * L1, L2, L13: a new life, Pending or, where the last blocks already carried the hash (`sighting` is that block's tick),
 * Confirmed. `null` for a duplicate.
 */
export function planReceive(
  before: TxState | null,
  hash: string,
  seq: number,
  tick: number,
  inclusion: number | null,
): Change | null {
  if (nextStage(before?.stage ?? 'Unknown', 'receive') === null) return null;
  const after = inclusion === null ? live(hash, seq, 'Pending', 0) : live(hash, seq, 'Confirmed', inclusion);
  return changeOf(before, after, tick, tick);
}

/** L3, L4: `null` where the stage does not allow the verb. */
export function planMove(verb: MoveVerb, txState: TxState, tick: number): Change | null {
  switch (nextStage(txState.stage, verb)) {
    case 'Propagated':
      return changeOf(txState, live(txState.hash, txState.seq, 'Propagated', tick), tick, tick);
    case 'Acknowledged':
      return changeOf(txState, live(txState.hash, txState.seq, 'Acknowledged', txState.tick), tick, tick);
    case 'Pending':
      return changeOf(txState, live(txState.hash, txState.seq, 'Pending', 0), tick, tick);
    case 'Confirmed':
    case 'Finalized':
    case 'Dropped':
    case null:
      return null;
  }
}

/** L10: `null` where the stage does not allow it. */
export function planDrop(txState: TxState, reason: string, tick: number): Change | null {
  if (nextStage(txState.stage, 'drop') === null) return null;
  return changeOf(txState, dropped(txState, tick, reason), tick, tick);
}

/** The transactions that a block touches, as they were before it. */
export interface BlockStates {
  /** Those the block's `seen` names. */
  readonly seen: Iterable<TxState>;
  /** Those its `unseen` names; a hash that is in `seen` too counts as seen. */
  readonly unseen: Iterable<TxState>;
  /** Those old enough for L6: `finalizableTick`, `droppableTick`. One more or one twice does no harm. */
  readonly aged: Iterable<TxState>;
}

/** L5 and L6 for the block of `tick` (the tick after it): the changes, by seq. */
export function planBlock(txStates: BlockStates, tick: number, thresholds: Thresholds): Change[] {
  const changes: Change[] = [];
  const touched = new Set<string>();
  const touch = (before: TxState, now: TxState): void => {
    if (touched.size === touched.add(before.hash).size) return;
    const after = settle(now, tick, thresholds);
    if (after !== before) changes.push(changeOf(before, after, tick - 1, tick));
  };
  for (const txState of txStates.seen)
    touch(txState, carries(txState) ? live(txState.hash, txState.seq, 'Confirmed', tick) : txState);
  for (const txState of txStates.unseen)
    touch(
      txState,
      nextStage(txState.stage, 'unseen') === null ? txState : live(txState.hash, txState.seq, 'Pending', 0),
    );
  for (const txState of txStates.aged) touch(txState, txState);
  return bySeq(changes);
}

/** Whether a block that names it confirms it. */
function carries(txState: TxState): boolean {
  return nextStage(txState.stage, 'seen') !== null && !isLostEnd(txState);
}

/**
 * L9 for the Confirmed and Finalized transactions whose confirming block is undone: back to Pending at their place. Those
 * still waiting for a block keep their stage; a store lowers their tick to the target (`clampTick`).
 */
export function planRollback(txStates: Iterable<TxState>, tick: number, target: number): Change[] {
  const changes: Change[] = [];
  for (const txState of txStates)
    changes.push(changeOf(txState, live(txState.hash, txState.seq, 'Pending', 0), tick, target));
  return bySeq(changes);
}

/** L9: what was marked in flight after the target counts from the target. */
export function clampTick(txState: TxState, target: number): TxState {
  return { ...txState, tick: Math.min(txState.tick, target) };
}

/** E1: transactions by seq, in the events and in the log alike. */
export function bySeq(changes: Change[]): Change[] {
  return changes.sort((a, b) => a.after.seq - b.after.seq);
}

/** The event of a change (E1). `point` is the confirming block of a Confirmed or Finalized transaction, else `null`. */
export function changeEvent(
  eventSeq: number,
  { before, after, previous, counters }: Change,
  point: ChainPoint | null,
): TransactionEvent {
  const returned = after.stage === 'Pending' && before !== null && isReturn(before, after);
  return {
    kind: 'transaction',
    eventSeq,
    hash: after.hash,
    seq: after.seq,
    stage: returned ? 'RolledBack' : after.stage,
    previous,
    confirmations: counters.confirmations,
    nonConfirmations: counters.nonConfirmations,
    point,
    reason: after.reason,
  };
}

/** A Dropped transaction received again is a new life with a new seq, not a return (L2). */
function isReturn(before: TxState, after: TxState): boolean {
  return before.seq === after.seq;
}
