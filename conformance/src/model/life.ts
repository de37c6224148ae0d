import type { ChainPoint, Counters, KnownStage, Thresholds } from 'mempool-core';

/** A block as it was applied, once: the same point applied again is another one. Compared by identity. */
export interface AppliedBlock {
  readonly point: ChainPoint;
  readonly seen: ReadonlySet<string>;
  readonly unseen: ReadonlySet<string>;
}

/** One life of a transaction. Its counters are lists of the very blocks that gave them, so that undoing is removing. */
export interface Life {
  readonly hash: string;
  readonly seq: number;
  stage: KnownStage;
  confirmedBy: AppliedBlock[];
  agedBy: AppliedBlock[];
  reason: string | null;
}

export const noCounters: Counters = { confirmations: 0, nonConfirmations: 0 };

export function countersOf({ confirmedBy, agedBy }: Life): Counters {
  return { confirmations: confirmedBy.length, nonConfirmations: agedBy.length };
}

export function confirmedAt({ confirmedBy }: Life): ChainPoint | null {
  return confirmedBy[0]?.point ?? null;
}

export function inFlight({ stage }: Life): boolean {
  return stage === 'Propagated' || stage === 'Acknowledged' || stage === 'Confirmed';
}

export function returnToPending(life: Life): void {
  Object.assign(life, { stage: 'Pending', confirmedBy: [], agedBy: [], reason: null });
}

/** L5, L7: the first line that fits. */
export function applyBlock(life: Life, block: AppliedBlock): void {
  if (block.seen.has(life.hash)) {
    if (life.stage !== 'Confirmed')
      Object.assign(life, { stage: 'Confirmed', confirmedBy: [], agedBy: [], reason: null });
    life.confirmedBy.push(block);
  } else if (block.unseen.has(life.hash) && inFlight(life)) returnToPending(life);
  else if (life.stage === 'Confirmed') life.confirmedBy.push(block);
  else if (inFlight(life)) life.agedBy.push(block);
}

/** L6: enough blocks make it final. */
export function settle(life: Life, { finalizeThreshold, dropThreshold }: Thresholds): void {
  const { confirmations, nonConfirmations } = countersOf(life);
  if (life.stage === 'Confirmed' && confirmations >= Math.max(1, finalizeThreshold)) life.stage = 'Finalized';
  if ((life.stage === 'Propagated' || life.stage === 'Acknowledged') && nonConfirmations >= Math.max(1, dropThreshold))
    Object.assign(life, { stage: 'Dropped', reason: 'stale' });
}

/** L9 for one transaction: what the undone blocks gave it is gone, and without its confirming block it waits again. */
export function undoBlocks(life: Life, undone: ReadonlySet<AppliedBlock>): void {
  const [confirming] = life.confirmedBy;
  life.confirmedBy = life.confirmedBy.filter((block) => !undone.has(block));
  life.agedBy = life.agedBy.filter((block) => !undone.has(block));
  if (confirming !== undefined && undone.has(confirming)) returnToPending(life);
}
