import type { Cause } from '../contract/cause.ts';
import { optionalReason } from '../contract/drop-reason.ts';
import type { StepEvent } from '../contract/events.ts';
import {
  arriving,
  completed,
  countersAt,
  dropped,
  live,
  type MoveVerb,
  nextStage,
  pending,
  sent,
  settle,
  type Thresholds,
  type TxState,
} from '../contract/lifecycle.ts';
import type { ChainPoint, Counters, Stage } from '../contract/transaction.ts';
import { isLostEnd } from './damage.ts';

/**
 * The change of one transaction by one call. The plan functions below are the rules of the contract as pure functions.
 * A backend loads the states that a call names, gets the changes from these functions, and writes them in one atomic
 * step.
 */
export interface Change {
  /** The state before the call; `null` if the store did not know the hash. */
  readonly before: TxState | null;
  readonly after: TxState;
  /** The stage and the counters before the call. */
  readonly previous: { readonly stage: Stage } & Counters;
  /** The counters after the call. */
  readonly counters: Counters;
  readonly cause: Cause;
  /** The hash of the transaction that replaced it (P24). */
  readonly replacedBy?: string | undefined;
}

/** Shared constants: a pool of a million transactions does not allocate one for each. */
const nothing: Counters = Object.freeze({ confirmations: 0, nonConfirmations: 0 });
const unknown: Change['previous'] = Object.freeze({ stage: 'Unknown', ...nothing });

/** Returns the change from one state to the next, with the counters at `tickBefore` and at `tickAfter`. */
export function changeOf(
  before: TxState | null,
  after: TxState,
  cause: Cause,
  tickBefore: number,
  tickAfter: number = tickBefore,
): Change {
  const previous = before === null ? unknown : previousOf(before, tickBefore);
  const counters = after.stage === 'Pending' ? nothing : countersAt(after, tickAfter);
  return { before, after, previous, counters, cause };
}

function previousOf(before: TxState, tick: number): Change['previous'] {
  const { confirmations, nonConfirmations } = countersAt(before, tick);
  return { stage: before.stage, confirmations, nonConfirmations };
}

/**
 * Returns the change of a received transaction (L1, L2); `null` for a duplicate. It becomes Pending, or Confirmed if one of
 * the last blocks already carried the hash (L13). `inclusion` is the tick of that block.
 */
export function planReceive(
  before: TxState | null,
  hash: string,
  seq: number,
  tick: number,
  inclusion: number | null,
): Change | null {
  if (nextStage(before?.stage ?? 'Unknown', 'receive') === null) return null;
  const after =
    inclusion === null ? live(hash, seq, 'Pending', 0, arriving) : live(hash, seq, 'Confirmed', inclusion, arriving);
  return changeOf(before, after, 'received', tick);
}

const moveCauses: Readonly<Record<MoveVerb, Cause>> = {
  markInflight: 'marked',
  markAcknowledged: 'acknowledged',
  complete: 'completed',
  release: 'released',
};

/** The optional parameters of a move. */
export interface MoveWay {
  /** The cause, if it is not that of the verb: `take` and `sweep` have their own. */
  readonly cause?: Cause | undefined;
  /** The time until which a transaction that returns to Pending is held back (P20). */
  readonly notBefore?: number | undefined;
}

const plain: MoveWay = Object.freeze({});

/** Returns the change of a verb that moves a live transaction (L3, L4, L15); `null` if its stage does not allow the verb. */
export function planMove(
  verb: MoveVerb,
  txState: TxState,
  tick: number,
  { cause = moveCauses[verb], notBefore }: MoveWay = plain,
): Change | null {
  // P20: what is held back is not sent.
  if (txState.notBefore !== undefined) return null;
  const { hash, seq, facts } = txState;
  switch (nextStage(txState.stage, verb)) {
    case 'Propagated':
      return changeOf(txState, live(hash, seq, 'Propagated', tick, sent(facts)), cause, tick);
    case 'Acknowledged':
      return changeOf(txState, live(hash, seq, 'Acknowledged', txState.tick, facts), cause, tick);
    case 'Pending':
      return changeOf(txState, pending(hash, seq, notBefore, facts), cause, tick);
    case 'Finalized':
      return changeOf(txState, completed(txState, tick), cause, tick);
    case 'Confirmed':
    case 'Dropped':
    case null:
      return null;
  }
}

/** Returns the change of `drop` (L10); `null` if the stage does not allow it. `reason` is its stored text. */
export function planDrop(txState: TxState, reason: string, tick: number, cause: Cause): Change | null {
  if (nextStage(txState.stage, 'drop') === null) return null;
  return changeOf(txState, dropped(txState, tick, reason), cause, tick);
}

/** The transactions that a block affects, in their state before the block. */
export interface BlockStates {
  /** The transactions in the block's `seen`. */
  readonly seen: Iterable<TxState>;
  /** The transactions in its `unseen`. A hash in both lists counts as seen. */
  readonly unseen: Iterable<TxState>;
  /** At least the transactions that L6 changes (`finalizableTick`, `droppableTick`). Others and repeats are ignored. */
  readonly aged: Iterable<TxState>;
}

/** Returns the changes of a block, ordered by seq (L5, L6). `tick` is the tick after the block. */
export function planBlock(txStates: BlockStates, tick: number, thresholds: Thresholds): Change[] {
  const changes: Change[] = [];
  const touched = new Set<string>();
  const touch = (before: TxState, now: TxState, cause: Cause): void => {
    if (touched.size === touched.add(before.hash).size) return;
    const after = settle(now, tick, thresholds);
    // A transaction that the block names but does not move may still age.
    if (after !== before) changes.push(changeOf(before, after, now === before ? 'block' : cause, tick - 1, tick));
  };
  for (const txState of txStates.seen)
    touch(
      txState,
      carries(txState) ? live(txState.hash, txState.seq, 'Confirmed', tick, txState.facts) : txState,
      'seen',
    );
  for (const txState of txStates.unseen)
    touch(
      txState,
      nextStage(txState.stage, 'unseen') === null
        ? txState
        : live(txState.hash, txState.seq, 'Pending', 0, txState.facts),
      'unseen',
    );
  for (const txState of txStates.aged) touch(txState, txState, 'block');
  return bySeq(changes);
}

/** True if a block that has the hash in `seen` confirms the transaction. */
function carries(txState: TxState): boolean {
  return nextStage(txState.stage, 'seen') !== null && !isLostEnd(txState);
}

/**
 * Returns the changes of a rollback for transactions whose confirming block is undone (L9). They return to Pending and keep
 * their `seq`. Propagated and Acknowledged transactions keep their stage; for them a store calls `clampTick`.
 */
export function planRollback(txStates: Iterable<TxState>, tick: number, target: number): Change[] {
  const changes: Change[] = [];
  for (const txState of txStates)
    changes.push(
      changeOf(txState, live(txState.hash, txState.seq, 'Pending', 0, txState.facts), 'rolled-back', tick, target),
    );
  return bySeq(changes);
}

/**
 * Returns the state, after a rollback to `target`, of a transaction that went in flight later. Its non-confirmations count
 * from the target (L9).
 */
export function clampTick(txState: TxState, target: number): TxState {
  return { ...txState, tick: Math.min(txState.tick, target) };
}

/** Sorts the changes by seq, in place. This is the order of events and of log entries (E1). */
export function bySeq(changes: Change[]): Change[] {
  return changes.sort((a, b) => a.after.seq - b.after.seq);
}

/** Returns the event of a change (E1). `point` is the confirming block of a Confirmed or Finalized transaction, else `null`. */
export function changeEvent(
  eventSeq: number,
  { after, previous, counters, cause, replacedBy }: Change,
  point: ChainPoint | null,
): Extract<StepEvent, { kind: 'transaction' }> {
  return {
    kind: 'transaction',
    eventSeq,
    hash: after.hash,
    seq: after.seq,
    stage: after.stage,
    cause,
    previous,
    confirmations: counters.confirmations,
    nonConfirmations: counters.nonConfirmations,
    point,
    reason: optionalReason(after.reason),
    ...(replacedBy !== undefined && { replacedBy }),
    attempts: after.facts.attempts,
    receivedAt: after.facts.receivedAt,
  };
}
