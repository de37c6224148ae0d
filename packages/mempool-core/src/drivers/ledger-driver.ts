import { isAsyncFunction, isPromise } from 'node:util/types';
import type { ChainContext, WriteContext } from '../contract/call-options.ts';
import type { DriverOptions, StoreDriver } from '../contract/driver.ts';
import { MempoolError } from '../contract/errors.ts';
import { isFenced, type LeaseSource } from '../contract/lease.ts';
import type { Thresholds } from '../contract/lifecycle.ts';
import type { PriorityVerbs } from '../contract/pool-driver.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Tip, Transaction } from '../contract/transaction.ts';
import type { Ledger } from '../memory/ledger.ts';
import { admissionOf } from '../rules/fifo-step.ts';
import {
  confirmStep,
  dropStep,
  moveStep,
  type PoolView,
  receiveStep,
  recorded,
  rollbackStep,
  type Step,
} from '../rules/step.ts';
import { fifoVerbs } from './fifo-driver.ts';

export interface FencedOutcome {
  readonly kind: 'fenced';
  readonly tip: Tip;
}

/** L1, L2, L13, with refusals of what has no room. */
function receiveWithin(
  ledger: Ledger,
  transactions: readonly Transaction[],
  thresholds: Thresholds,
): Step<ReceiveOutcome[]> {
  const admission = admissionOf(ledger, transactions, thresholds, ledger.fifo.room);
  const step = receiveStep(ledger, admission.admitted, thresholds);
  return { ...step, outcome: admission.outcomes(step.outcome) };
}

/** A JavaScript Map ends at 2 ** 24 entries, and says so when it is too late. */
const maxRows = 16_000_000;

/** Nothing, at once: a union, for a function that returns a promise is one that returns `void` alone. */
// biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return statement returns
export type Done = void | undefined;

export interface LedgerDriverParts {
  readonly ledger: Ledger;
  readonly options: Pick<DriverOptions, 'thresholds' | 'election' | 'fenced'> &
    Partial<Pick<DriverOptions, 'limits' | 'now'>>;
  /** Who leads (X6); without it nobody ever does. */
  readonly leases?: LeaseSource | undefined;
  /**
   * Keeps the step wherever it is to be kept, then applies it to the ledger. Must not have done either when it throws (X1).
   * Left out where the ledger is all there is. Synchronous: the next call is planned on what this one left, so a promise is
   * refused, by its type and as `ERR_MEMPOOL_INTERNAL`.
   */
  readonly commit?: ((step: Step<unknown>) => Done) | undefined;
  close(): void;
}

/**
 * Every verb of a backend whose state is a ledger. A writing one is planned as a whole, then committed, in one synchronous
 * step: nothing comes between. What writes nothing is not committed.
 */
export function ledgerDriver({ ledger, options, leases, commit, close }: LedgerDriverParts): StoreDriver {
  const { thresholds } = options;
  const keep = commit === undefined ? (step: Step<unknown>) => ledger.apply(step) : atOnce(commit);
  function receive(transactions: readonly Transaction[], context: WriteContext): ReceiveOutcome[] {
    assertRoom(ledger, transactions.length);
    if (ledger.fifo.room < transactions.length)
      return write('receive', context, () => receiveWithin(ledger, transactions, thresholds));
    if (commit === undefined && context.operationId === undefined) return ledger.arrive(transactions, thresholds);
    return write('receive', context, (view) => receiveStep(view, transactions, thresholds));
  }

  function write<T>(verb: string, { operationId }: WriteContext, plan: (view: PoolView) => Step<T>): T {
    const known = ledger.findOperation<T>(verb, operationId);
    if (known !== null) return known.outcome;
    const step = recorded(plan(ledger), verb, operationId);
    if (step.events.length > 0 || step.operation !== null || step.fifo) keep(step);
    return step.outcome;
  }

  function underLease<T>(verb: string, context: ChainContext, plan: (view: PoolView) => Step<T>): T | FencedOutcome {
    return fencedCall<T>({ ledger, options, leases }, verb, context, (prolonged) =>
      write(verb, context, (view) => prolonged(plan(view))),
    );
  }

  return {
    // Whoever keeps steps elsewhere may do so for a while: he gets bytes that no caller changes meanwhile (M1).
    ...(commit === undefined && { copiesPayloads: true }),
    receive,
    move: (verb, hashes, context) => write(verb, context, (view) => moveStep(view, verb, hashes)),
    drop: (hashes, reason, context) => write('drop', context, (view) => dropStep(view, hashes, reason)),
    confirm: (block, context) => underLease('confirm', context, (view) => confirmStep(view, block)),
    rollback: (point, context) => underLease('rollback', context, (view) => rollbackStep(view, point)),
    ...ledgerReads(ledger),
    ...fifoVerbs({ ledger, write, options }),
    close,
  };
}

/** @throws `ERR_MEMPOOL_INTERNAL` where it answers with a promise */
export function atOnce(commit: (step: Step<unknown>) => Done): (step: Step<unknown>) => void {
  if (isAsyncFunction(commit)) throw notAtOnce();
  return (step) => {
    const answer: unknown = commit(step);
    if (!isPromise(answer)) return;
    answer.catch(() => undefined);
    throw notAtOnce();
  };
}

function notAtOnce(): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INTERNAL', 'commit must be synchronous: it returned a promise');
}

type FenceParts = Pick<LedgerDriverParts, 'ledger' | 'leases'> & {
  readonly options: Pick<DriverOptions, 'election' | 'fenced'>;
};

/**
 * X6: writes under the live lease only, which a planned step that moves the tip prolongs. A call that was answered before is answered
 * again, whoever leads by now.
 */
export function fencedCall<T>(
  { ledger, leases, options }: FenceParts,
  verb: string,
  { operationId, lease }: ChainContext,
  write: (prolonged: (step: Step<T>) => Step<T>) => T,
): T | FencedOutcome {
  const { election, fenced } = options;
  const known = ledger.findOperation<T>(verb, operationId);
  if (known !== null) return known.outcome;
  if (isFenced(leases?.held(election) ?? null, lease, fenced)) return { kind: 'fenced', tip: ledger.currentTip };
  return write((step) => {
    if (step.chain !== null && lease !== null) leases?.extend(election);
    return step;
  });
}

export type LedgerReads = Omit<
  StoreDriver,
  'copiesPayloads' | 'receive' | 'move' | 'drop' | 'confirm' | 'rollback' | 'close' | keyof PriorityVerbs
>;

/** What reads records, whatever the order of the pool. */
export function ledgerReads(ledger: Ledger): LedgerReads {
  return {
    peekPending: (after, limit) => ledger.peekPending(after, limit),
    peekInflight: (after, limit) => ledger.peekInflight(after, limit),
    findInflight: (hashes) => ledger.findInflight(hashes),
    checkStatus: (hashes) => ledger.checkStatus(hashes),
    dumpFinalized: (cursor, limit) => ledger.dumpFinalized(cursor, limit),
    tip: (points) => ledger.tip(points),
    usage: () => ledger.usage(),
    readEvents: (after, limit) => ledger.readEvents(after, limit),
    onEvents: (listener) => ledger.onEvents(listener),
  };
}

/** M3. @throws `ERR_MEMPOOL_STORE_FULL` */
export function assertRoom(ledger: Ledger, count: number): void {
  if (ledger.size + count <= maxRows) return;
  throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `memory takes ${maxRows} transactions`);
}
