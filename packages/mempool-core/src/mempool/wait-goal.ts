import type { ReadOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import type { TransactionEvent } from '../contract/events.ts';
import { type KnownStage, knownStages, type TransactionStatus } from '../contract/transaction.ts';

/** Stages that can be waited for, in their order. */
export type WaitStage = Exclude<KnownStage, 'Dropped'>;

export interface WaitOptions extends ReadOptions {
  /** Default: Confirmed. */
  readonly stage?: WaitStage | undefined;
  /**
   * How deep its confirming block must be, 1 = in the last block. A Finalized transaction is deep enough for any
   * number.
   */
  readonly confirmations?: number | undefined;
}

/** What a waiter waits for, filled in. */
export interface Goal {
  readonly stage: WaitStage;
  readonly confirmations: number;
}

/** @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkGoal(options: WaitOptions | undefined): Goal {
  const { stage = 'Confirmed', confirmations = 0 } = options ?? {};
  if (!knownStages.includes(stage) || (stage as KnownStage) === 'Dropped')
    throw invalid('stage', 'Pending, Propagated, Acknowledged, Confirmed or Finalized');
  if (!Number.isSafeInteger(confirmations) || confirmations < 0)
    throw invalid('confirmations', 'a safe integer of at least 0');
  return { stage, confirmations };
}

/** R3: at the stage asked for or beyond, or at Dropped. */
export function reaches({ stage, confirmations }: TransactionStatus, goal: Goal): boolean {
  if (stage === 'Unknown') return false;
  if (stage === 'Dropped' || stage === 'Finalized') return true;
  return knownStages.indexOf(stage) >= knownStages.indexOf(goal.stage) && confirmations >= goal.confirmations;
}

/** What `checkStatus` would have said right after the event. */
export function eventStatus(event: TransactionEvent): TransactionStatus {
  const { hash, confirmations, nonConfirmations, point, reason } = event;
  const stage = event.stage === 'RolledBack' ? 'Pending' : event.stage;
  return { hash, stage, confirmations, nonConfirmations, confirmedAt: point, reason };
}
