import type { Awaitable, ChainContext, ClaimContext, ReadContext, WriteContext } from './call-options.ts';
import type { DamageReport } from './damage.ts';
import type { DriverLogPage, DriverPage, DriverUsage } from './driver-page.ts';
import type { EventSource } from './events.ts';
import type { MoveVerb, Thresholds } from './lifecycle.ts';
import type { Limits, Ordering } from './limits.ts';
import type { Logger, Retention } from './options.ts';
import type { PriorityVerbs } from './pool-driver.ts';
import type { RecordDriver } from './records.ts';
import type { ConfirmOutcome, ReceiveOutcome, RollbackOutcome, TipAnswer } from './store.ts';
import type { ChainPoint, StoredTransaction, Transaction, TransactionStatus } from './transaction.ts';
import type { TransferDriver } from './transfer.ts';

/** A block after the checks: no hash occurs twice or in both lists, and both thresholds are set. */
export interface CheckedBlock {
  readonly point: ChainPoint;
  readonly parent: string | null;
  readonly seen: readonly string[];
  readonly unseen: readonly string[];
  /** Distinct tags; empty in a fifo pool. */
  readonly provides: readonly string[];
  readonly thresholds: Thresholds;
}

/** The options of an open after the checks, with defaults filled in. */
export interface OpenedOptions {
  readonly pool: string;
  readonly thresholds: Thresholds;
  /** The fields that this open names. They are stored with the pool and hold for all nodes until another open names them. */
  readonly retention: Partial<Retention>;
  readonly maxTxBytes: number;
  /** How long a transaction may be in flight before a sweep drops it, in milliseconds (L14). `Infinity` means no limit. */
  readonly inflightTtlMs: number;
  /** The order of the pool, which is stored with it. To open it with another ordering is `ERR_MEMPOOL_INCOMPATIBLE`. */
  readonly ordering: Ordering;
  /**
   * The limits that this open names. They are stored with the pool and hold for all nodes until another open or
   * `setLimits` names them.
   */
  readonly limits: Partial<Limits>;
  /**
   * The application's clock in milliseconds since 1970. If it is `null`, use the store's clock, or this machine's clock if
   * the store has none.
   */
  readonly now: (() => number) | null;
  /** The election whose lease guards the tip (X6). */
  readonly election: string;
  /** True if `confirm` and `rollback` always need a lease (X6). */
  readonly fenced: boolean;
  /** How long a call may wait for the store, in milliseconds, before it fails (X5). */
  readonly timeoutMs: number;
  /** A monotonic clock in milliseconds. A backend reads no other clock. */
  readonly clock: () => number;
  readonly log: Logger;
}

/** The argument of a backend definition's `open`. */
export interface DriverOptions extends OpenedOptions {
  /** To call with each damaged record that a read of the driver skips (M2). */
  readonly damage: DamageReport;
}

/**
 * The interface that the author of a backend implements. `defineBackend` adds the checks, the copies, abort, `close` and
 * the event streams. So every argument is valid here: hash lists have no repeats, a call has at most 1,000 transactions,
 * limits are clamped, and the backend owns the payloads that it receives. Payloads that it returns must be fresh copies.
 *
 * If `signal` aborts before anything was sent or written, the call rejects with the signal's reason. A later abort does
 * not stop the call (R3).
 */
export interface StoreDriver
  extends EventSource,
    Partial<PriorityVerbs>,
    Partial<RecordDriver>,
    Partial<TransferDriver> {
  /**
   * Set this if `receive` and `admit` copy the payloads themselves before they return. They then receive the caller's
   * buffers.
   */
  readonly copiesPayloads?: true;
  receive(transactions: readonly Transaction[], context: WriteContext): Awaitable<ReceiveOutcome[]>;
  /** Moves transactions by the table `transitions` (L3, L4, P19, P20). Returns the hashes that it moved, in the order given. */
  move(verb: MoveVerb, hashes: readonly string[], context: ClaimContext): Awaitable<string[]>;
  /** Returns the hashes that it dropped, in the order given (L10, P19). `reason` is the text to store (`reasonText`). */
  drop(hashes: readonly string[], reason: string, context: ClaimContext): Awaitable<string[]>;
  confirm(block: CheckedBlock, context: ChainContext): Awaitable<ConfirmOutcome>;
  /** Undoes the blocks after the point; with `null`, every block that is kept. */
  rollback(point: ChainPoint | null, context: ChainContext): Awaitable<RollbackOutcome>;
  /** Returns a page of Pending transactions with a `seq` above `after`. It skips damaged records (M2). */
  peekPending(after: number, limit: number, context: ReadContext): Awaitable<DriverPage>;
  peekInflight(after: number, limit: number, context: ReadContext): Awaitable<DriverPage>;
  findInflight(hashes: readonly string[], context: ReadContext): Awaitable<(StoredTransaction | null)[]>;
  /** Returns the statuses in the order given (O3). A hash may occur twice. */
  checkStatus(hashes: readonly string[], context: ReadContext): Awaitable<TransactionStatus[]>;
  /** Returns a page of the log. `cursor` is the first `logSeq` wanted, or 0 for the oldest entry. */
  dumpFinalized(cursor: number, limit: number, context: ReadContext): Awaitable<DriverLogPage>;
  tip(points: number, context: ReadContext): Awaitable<TipAnswer>;
  usage(context: ReadContext): Awaitable<DriverUsage>;
  /** Frees files, sockets and timers. It is called once, after every call has ended. */
  close(): Awaitable<void>;
}
