import { randomUUID } from 'node:crypto';
import {
  type ChainPoint,
  type CheckedBlock,
  type ConfirmOutcome,
  confirmStep,
  type DriverOptions,
  defaultRetention,
  dropStep,
  Ledger,
  MempoolError,
  type MoveVerb,
  moveStep,
  type ReceiveOutcome,
  type RollbackOutcome,
  receiveStep,
  recorded,
  rollbackStep,
  type Step,
  type StoreDriver,
  type Thresholds,
  type Transaction,
  type WriteContext,
} from 'mempool-core';

/** A JavaScript Map ends at 2 ** 24 entries, and says so only when it is too late. */
const maxRows = 16_000_000;

/**
 * Core's ledger with the writing verbs. Each is one synchronous step, planned as a whole before anything is written: nothing
 * comes between, and what throws has changed nothing (X1).
 */
export class EphemeralDriver extends Ledger implements StoreDriver {
  readonly #thresholds: Thresholds;

  constructor({ thresholds, retention }: DriverOptions) {
    super(randomUUID(), { ...defaultRetention, ...retention });
    this.#thresholds = thresholds;
  }

  receive(transactions: readonly Transaction[], context: WriteContext): ReceiveOutcome[] {
    return this.#call('receive', context, () => {
      if (this.size + transactions.length > maxRows)
        throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `memory takes ${maxRows} transactions`);
      return receiveStep(this, transactions, this.#thresholds);
    });
  }

  move(verb: MoveVerb, hashes: readonly string[], context: WriteContext): string[] {
    return this.#call(verb, context, () => moveStep(this, verb, hashes));
  }

  drop(hashes: readonly string[], reason: string, context: WriteContext): string[] {
    return this.#call('drop', context, () => dropStep(this, hashes, reason));
  }

  confirm(block: CheckedBlock, context: WriteContext): ConfirmOutcome {
    return this.#call('confirm', context, () => confirmStep(this, block));
  }

  rollback(point: ChainPoint | null, context: WriteContext): RollbackOutcome {
    return this.#call('rollback', context, () => rollbackStep(this, point));
  }

  close(): void {
    // Memory is freed with the handle.
  }

  #call<Outcome>(verb: string, { operationId }: WriteContext, plan: () => Step<Outcome>): Outcome {
    const known = this.findOperation<Outcome>(verb, operationId);
    if (known !== null) return known.outcome;
    const step = recorded(plan(), verb, operationId);
    this.apply(step);
    return step.outcome;
  }
}
