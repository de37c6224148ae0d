import { randomUUID } from 'node:crypto';
import {
  type ChainPoint,
  type ConfirmOutcome,
  defaultRetention,
  type LogEntry,
  type ReceiveOutcome,
  type RollbackOutcome,
  type Transaction,
} from 'mempool-core';
import {
  type ChainContext,
  type CheckedBlock,
  confirmStep,
  type DriverOptions,
  dropStep,
  eventTime,
  MemoryPool,
  type MoveVerb,
  moveStep,
  type PoolView,
  poolClock,
  receiveStep,
  recorded,
  rollbackStep,
  type Step,
  type StoreDriver,
  type TxState,
  type WriteContext,
} from 'mempool-core/backend';

export type WriteVerb = 'receive' | MoveVerb | 'drop' | 'confirm' | 'rollback';

/** A call without options. */
export const free: WriteContext = { signal: undefined, operationId: undefined };
type FreeChain = WriteContext & Partial<Pick<ChainContext, 'lease'>>;

/** A small backend in memory with a place for a fault on both sides of the rules. */
export class PlantedDriver extends MemoryPool implements StoreDriver {
  readonly #options: DriverOptions;
  readonly #nowMs: () => number;
  /** What the rules are told instead of what is so. */
  tell: (verb: WriteVerb) => Partial<PoolView> = () => ({});
  /** What is written instead of what the rules decided. */
  decide: (step: Step<unknown>, verb: WriteVerb) => Step<unknown> = (step) => step;

  constructor(options: DriverOptions) {
    super(randomUUID(), { ...defaultRetention, ...options.retention });
    this.#options = options;
    this.#nowMs = poolClock(options);
  }

  receive(transactions: readonly Transaction[], context = free): ReceiveOutcome[] {
    return this.#call('receive', context, (view) => receiveStep(view, transactions, this.#options.thresholds));
  }

  move(verb: MoveVerb, hashes: readonly string[], context = free): string[] {
    return this.#call(verb, context, (view) => moveStep(view, verb, hashes));
  }

  markInflight(hashes: readonly string[], context = free): string[] {
    return this.move('markInflight', hashes, context);
  }

  markAcknowledged(hashes: readonly string[], context = free): string[] {
    return this.move('markAcknowledged', hashes, context);
  }

  complete(hashes: readonly string[], context = free): string[] {
    return this.move('complete', hashes, context);
  }

  release(hashes: readonly string[], context = free): string[] {
    return this.move('release', hashes, context);
  }

  drop(hashes: readonly string[], reason: string, context = free): string[] {
    return this.#call('drop', context, (view) => dropStep(view, hashes, reason));
  }

  confirm(block: CheckedBlock, context: FreeChain = free): ConfirmOutcome {
    return this.#call('confirm', context, (view) => confirmStep(view, block, context.lease ?? null));
  }

  rollback(point: ChainPoint | null, context: FreeChain = free): RollbackOutcome {
    return this.#call('rollback', context, (view) => rollbackStep(view, point, context.lease ?? null));
  }

  close(): void {}

  stageOf(hash: string): string {
    return this.txState(hash)?.stage ?? 'Unknown';
  }

  /** The records of a stage, among these or all. */
  txStates(stage: string, hashes: readonly string[] = this.#hashes()): TxState[] {
    return hashes.map((hash) => this.txState(hash)).filter((txState) => txState?.stage === stage) as TxState[];
  }

  /** The log, as far as a page goes. */
  logged(hash?: string): LogEntry[] {
    return this.dumpFinalized(0, 1_000).entries.filter((entry) => hash === undefined || entry.hash === hash);
  }

  #hashes(): string[] {
    return [...this.peekInflight(0, 1_000).transactions, ...this.logged()].map(({ hash }) => hash);
  }

  #call<Outcome>(verb: WriteVerb, context: WriteContext, plan: (view: PoolView) => Step<Outcome>): Outcome {
    const known = this.findOperation<Outcome>(verb, context);
    if (known !== null) return known.outcome;
    const decision = this.decide(plan({ ...this.#view(), ...this.tell(verb) }), verb) as Step<Outcome>;
    const step = recorded(decision, verb, context, eventTime(this.#nowMs(), this.lastAt));
    this.apply(step);
    return step.outcome;
  }

  #view(): PoolView {
    const { currentTip, floor, maxRollback, lastSeq, lastEventSeq, lastAt } = this;
    return {
      currentTip,
      floor,
      maxRollback,
      lastSeq,
      lastEventSeq,
      lastAt,
      txState: (hash) => this.txState(hash),
      confirmedAt: (hash) => this.confirmedAt(hash),
      inclusion: (hash) => this.inclusion(hash),
      pointAt: (tick) => this.pointAt(tick),
      tickOf: (point) => this.tickOf(point),
      aged: (finalizable, droppable) => this.aged(finalizable, droppable),
      confirmedAfter: (tick) => this.confirmedAfter(tick),
      waitingAfter: (tick) => this.waitingAfter(tick),
      sentBefore: (ms, limit) => this.sentBefore(ms, limit),
    };
  }
}
