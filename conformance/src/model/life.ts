import type { Cause, ChainPoint, Counters, DropReason, KnownStage, Thresholds } from 'mempool-core';

/** One application of a block: the same point applied again is another object. Compared by identity. */
export interface AppliedBlock {
  readonly point: ChainPoint;
  readonly seen: ReadonlySet<string>;
  readonly unseen: ReadonlySet<string>;
}

/** One life of a transaction. Its counters are lists of the blocks that were counted, so an undo removes blocks from them. */
export interface TxState {
  readonly hash: string;
  readonly seq: number;
  stage: KnownStage;
  confirmedBy: AppliedBlock[];
  agedBy: AppliedBlock[];
  reason: DropReason | null;
  /** Why it last changed (E6). */
  cause: Cause;
  /** P24: if the cause is `replaced`. */
  replacedBy?: string | undefined;
  /** P20: Pending, but held back until this time or longer. */
  notBefore?: number | undefined;
  readonly times: Times;
}

/** Stands for the time of the call until the call ends. */
export const thisCall = -1;

/** O8, L14. `null`: not known, or never. */
export interface Times {
  receivedAt: number | null;
  attempts: number;
  /** When it last went out. */
  sentAt: number | null;
}

/** Those of a transaction that this call receives. */
export function newTimes(): Times {
  return { receivedAt: thisCall, attempts: 0, sentAt: null };
}

/** Pending to Propagated. */
export function sendOut(txState: TxState, cause: Cause): void {
  Object.assign(txState, { stage: 'Propagated', cause });
  Object.assign(txState.times, { attempts: txState.times.attempts + 1, sentAt: thisCall });
}

export const noCounters: Counters = { confirmations: 0, nonConfirmations: 0 };

export function countersOf({ confirmedBy, agedBy }: TxState): Counters {
  return { confirmations: confirmedBy.length, nonConfirmations: agedBy.length };
}

export function confirmedAt({ confirmedBy }: TxState): ChainPoint | null {
  return confirmedBy[0]?.point ?? null;
}

export function inFlight({ stage }: TxState): boolean {
  return stage === 'Propagated' || stage === 'Acknowledged' || stage === 'Confirmed';
}

export function returnToPending(txState: TxState, cause: Cause): void {
  Object.assign(txState, { stage: 'Pending', confirmedBy: [], agedBy: [], reason: null, cause, notBefore: undefined });
}

/** L5, L7: the first branch that fits. */
export function applyBlock(txState: TxState, block: AppliedBlock): void {
  if (block.seen.has(txState.hash)) {
    if (txState.stage !== 'Confirmed')
      Object.assign(txState, {
        stage: 'Confirmed',
        confirmedBy: [],
        agedBy: [],
        reason: null,
        cause: 'seen',
        notBefore: undefined,
      });
    txState.confirmedBy.push(block);
  } else if (block.unseen.has(txState.hash) && inFlight(txState)) returnToPending(txState, 'unseen');
  else if (txState.stage === 'Confirmed') txState.confirmedBy.push(block);
  else if (inFlight(txState)) txState.agedBy.push(block);
}

/** E6. */
export function dropCause(reason: DropReason): Cause {
  return reason === 'failed' ? 'failed' : 'dropped';
}

/** L6: Finalized or Dropped, if its counters reach a threshold. */
export function settle(txState: TxState, { finalizeThreshold, dropThreshold }: Thresholds): void {
  const { confirmations, nonConfirmations } = countersOf(txState);
  if (txState.stage === 'Confirmed' && confirmations >= Math.max(1, finalizeThreshold)) {
    txState.stage = 'Finalized';
    // With one confirmation the block itself named it.
    if (confirmations > 1) txState.cause = 'block';
  }
  if (
    (txState.stage === 'Propagated' || txState.stage === 'Acknowledged') &&
    nonConfirmations >= Math.max(1, dropThreshold)
  )
    Object.assign(txState, { stage: 'Dropped', reason: 'stale', cause: 'block' });
}

/** L9 for one transaction: it loses the counts of undone blocks, and without its confirming block it is Pending again. */
export function undoBlocks(txState: TxState, undone: ReadonlySet<AppliedBlock>): void {
  const [confirming] = txState.confirmedBy;
  txState.confirmedBy = txState.confirmedBy.filter((block) => !undone.has(block));
  txState.agedBy = txState.agedBy.filter((block) => !undone.has(block));
  if (confirming !== undefined && undone.has(confirming)) returnToPending(txState, 'rolled-back');
}
