import { isAsyncFunction, isPromise } from 'node:util/types';
import type { ChainContext, WriteContext } from '../contract/call-options.ts';
import type { DriverOptions, StoreDriver } from '../contract/driver.ts';
import { MempoolError } from '../contract/errors.ts';
import { isFenced, type LeaseSource } from '../contract/lease.ts';
import type { PriorityVerbs } from '../contract/pool-driver.ts';
import type { RecordDriver } from '../contract/records.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Tip, Transaction } from '../contract/transaction.ts';
import type { TransferDriver } from '../contract/transfer.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { dumpOfPool } from '../priority/content.ts';
import { eventTime, poolClock } from '../rules/pool-clock.ts';
import {
  confirmStep,
  dropStep,
  guardOf,
  moveStep,
  type PoolView,
  receiveStep,
  recorded,
  rollbackStep,
  type Step,
} from '../rules/step.ts';
import { fifoVerbs } from './fifo-driver.ts';
import { withExport, withTransfer } from './memory-transfer.ts';
import { recordVerbs } from './record-verbs.ts';

/** The outcome of a call that needs the live lease but does not have it (X6). Nothing was written. */
export interface FencedOutcome {
  readonly kind: 'fenced';
  readonly tip: Tip;
}

/** A JavaScript Set, such as that of one tick, throws at 2 ** 24 entries, in the middle of a write. This limit is checked before. */
const maxRows = 16_000_000;

/** Plans one call. `nowMs` is the time of the pool's clock in milliseconds since 1970. */
type TimedPlan<T> = (view: PoolView, nowMs: number) => Step<T>;

/** The result of a synchronous function without a value. `void` alone would also allow a promise. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement returns void
export type Done = void | undefined;

/** The parts that `memoryDriver` needs of a backend. */
export interface MemoryDriverParts {
  readonly memory: MemoryPool;
  readonly options: Pick<DriverOptions, 'thresholds' | 'election' | 'fenced'> &
    Partial<Pick<DriverOptions, 'limits' | 'now' | 'inflightTtlMs'>>;
  /** The source of the leader's lease (X6). Without it, there is never a lease. */
  readonly leases?: LeaseSource | undefined;
  /**
   * Stores the step, then applies it to the pool in memory. If it throws, it must have done neither (X1). Leave it out if
   * memory is the only storage. It must be synchronous, because the next call is planned on its result. The type forbids a
   * promise, and a call that returns one fails with `ERR_MEMPOOL_INTERNAL`.
   */
  readonly commit?: ((step: Step<unknown>) => Done) | undefined;
  close(): void;
}

/**
 * Implements every verb for a backend whose state is a `MemoryPool`. A writing call is planned and committed in one
 * synchronous step, so no other call runs in between. A step that writes nothing is not committed.
 *
 * @throws `ERR_MEMPOOL_INTERNAL` if `commit` is an async function
 */
export function memoryDriver({ memory, options, leases, commit, close }: MemoryDriverParts): StoreDriver {
  const { thresholds } = options;
  const clock = poolClock(options);
  const keep = commit === undefined ? (step: Step<unknown>) => memory.apply(step) : atOnce(commit);
  function receive(transactions: readonly Transaction[], context: WriteContext): ReceiveOutcome[] {
    assertRoom(memory, transactions.length);
    return write('receive', context, (view) => receiveStep(view, transactions, thresholds, memory.fifo.room));
  }

  function write<T>(verb: string, context: WriteContext, plan: TimedPlan<T>): T {
    const known = memory.findOperation<T>(verb, context);
    if (known !== null) return known.outcome;
    const nowMs = clock();
    const step = recorded(plan(memory, nowMs), verb, context, eventTime(nowMs, memory.lastAt));
    const { writes, events, operation, fifo, record } = step;
    if (writes.length > 0 || events.length > 0 || operation !== null || fifo || record) keep(step);
    return step.outcome;
  }

  function underLease<T>(verb: string, context: ChainContext, plan: (view: PoolView) => Step<T>): T | FencedOutcome {
    return fencedCall<T>({ memory, options, leases }, verb, context, (prolonged) =>
      write(verb, context, (view) => prolonged(plan(view))),
    );
  }

  const driver: StoreDriver = {
    receive,
    move: (verb, hashes, context) =>
      write(verb, context, (view, nowMs) => moveStep(view, verb, hashes, guardOf(context, nowMs))),
    drop: (hashes, reason, context) => write('drop', context, (view) => dropStep(view, hashes, reason, context)),
    confirm: (block, context) => underLease('confirm', context, (view) => confirmStep(view, block, context.lease)),
    rollback: (point, context) => underLease('rollback', context, (view) => rollbackStep(view, point, context.lease)),
    ...memoryReads(memory),
    ...fifoVerbs({ memory, write, options }),
    dumpPool: () => dumpOfPool(memory),
    ...recordVerbs({ memory, leases, election: options.election, write }),
    close,
  };
  return (commit === undefined ? withTransfer : withExport)(driver, memory);
}

/** Returns `commit`, checked now and at each call to be synchronous. @throws `ERR_MEMPOOL_INTERNAL` if it is not */
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
  return new MempoolError('ERR_MEMPOOL_INTERNAL', 'commit must be synchronous and must not return a promise');
}

type FenceParts = Pick<MemoryDriverParts, 'memory' | 'leases'> & {
  readonly options: Pick<DriverOptions, 'election' | 'fenced'>;
};

/**
 * Returns a write that happens only under the live lease (X6). A step that moves the tip renews that lease. If the operation
 * id is known, the call returns its recorded outcome, even if another node leads now.
 */
export function fencedCall<T>(
  { memory, leases, options }: FenceParts,
  verb: string,
  context: ChainContext,
  write: (prolonged: (step: Step<T>) => Step<T>) => T,
): T | FencedOutcome {
  const { election, fenced } = options;
  const { lease } = context;
  const known = memory.findOperation<T>(verb, context);
  if (known !== null) return known.outcome;
  if (isFenced(leases?.held(election) ?? null, lease, fenced)) return { kind: 'fenced', tip: memory.currentTip };
  return write((step) => {
    if (step.chain !== null && lease !== null) leases?.extend(election);
    return step;
  });
}

export type MemoryReads = Omit<
  StoreDriver,
  | 'copiesPayloads'
  | 'receive'
  | 'move'
  | 'drop'
  | 'confirm'
  | 'rollback'
  | 'close'
  | keyof PriorityVerbs
  | keyof RecordDriver
  | keyof TransferDriver
>;

/** Returns the reading verbs that fifo and priority pools share. */
export function memoryReads(memory: MemoryPool): MemoryReads {
  return {
    peekPending: (after, limit) => memory.peekPending(after, limit),
    peekInflight: (after, limit) => memory.peekInflight(after, limit),
    findInflight: (hashes) => memory.findInflight(hashes),
    checkStatus: (hashes) => memory.checkStatus(hashes),
    dumpFinalized: (cursor, limit) => memory.dumpFinalized(cursor, limit),
    tip: (points) => memory.tip(points),
    usage: () => memory.usage(),
    readEvents: (after, limit) => memory.readEvents(after, limit),
    onEvents: (listener) => memory.onEvents(listener),
  };
}

/** Checks that the pool has room (M3). @throws `ERR_MEMPOOL_STORE_FULL` if `count` more transactions do not fit */
export function assertRoom(memory: MemoryPool, count: number): void {
  if (memory.size + count <= maxRows) return;
  throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `memory holds at most ${maxRows} transactions`);
}
