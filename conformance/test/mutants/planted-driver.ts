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
  type MoveVerb,
  moveStep,
  type PoolView,
  type ReceiveOutcome,
  type RollbackOutcome,
  receiveStep,
  recorded,
  rollbackStep,
  type Step,
  type StoreDriver,
  type Transaction,
  type WriteContext,
} from 'mempool-core';

export type WriteVerb = 'receive' | MoveVerb | 'drop' | 'confirm' | 'rollback';

/** A small backend in memory with a place for a fault on both sides of the rules. */
export class PlantedDriver extends Ledger implements StoreDriver {
  readonly #options: DriverOptions;
  /** What the rules are told instead of what is so. */
  tell: (verb: WriteVerb) => Partial<PoolView> = () => ({});
  /** What is written instead of what the rules decided. */
  decide: (step: Step<unknown>, verb: WriteVerb) => Step<unknown> = (step) => step;

  constructor(options: DriverOptions) {
    super(randomUUID(), { ...defaultRetention, ...options.retention });
    this.#options = options;
  }

  receive(transactions: readonly Transaction[], context: WriteContext): ReceiveOutcome[] {
    return this.#call('receive', context, (view) => receiveStep(view, transactions, this.#options.thresholds));
  }

  move(verb: MoveVerb, hashes: readonly string[], context: WriteContext): string[] {
    return this.#call(verb, context, (view) => moveStep(view, verb, hashes));
  }

  drop(hashes: readonly string[], reason: string, context: WriteContext): string[] {
    return this.#call('drop', context, (view) => dropStep(view, hashes, reason));
  }

  confirm(block: CheckedBlock, context: WriteContext): ConfirmOutcome {
    return this.#call('confirm', context, (view) => confirmStep(view, block));
  }

  rollback(point: ChainPoint | null, context: WriteContext): RollbackOutcome {
    return this.#call('rollback', context, (view) => rollbackStep(view, point));
  }

  close(): void {}

  #call<Outcome>(verb: WriteVerb, { operationId }: WriteContext, plan: (view: PoolView) => Step<Outcome>): Outcome {
    const known = this.findOperation<Outcome>(verb, operationId);
    if (known !== null) return known.outcome;
    const decision = this.decide(plan({ ...this.#view(), ...this.tell(verb) }), verb) as Step<Outcome>;
    const step = recorded(decision, verb, operationId);
    this.apply(step);
    return step.outcome;
  }

  #view(): PoolView {
    const { currentTip, floor, maxRollback, lastSeq, lastEventSeq } = this;
    return {
      currentTip,
      floor,
      maxRollback,
      lastSeq,
      lastEventSeq,
      life: (hash) => this.life(hash),
      confirmedAt: (hash) => this.confirmedAt(hash),
      sighting: (hash) => this.sighting(hash),
      pointAt: (tick) => this.pointAt(tick),
      tickOf: (point) => this.tickOf(point),
      aged: (finalizable, droppable) => this.aged(finalizable, droppable),
      confirmedAfter: (tick) => this.confirmedAfter(tick),
      waitingAfter: (tick) => this.waitingAfter(tick),
    };
  }
}
