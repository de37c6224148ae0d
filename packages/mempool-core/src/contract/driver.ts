import type { Awaitable, ChainContext, ReadContext, WriteContext } from './call-context.ts';
import type { EventSource } from './events.ts';
import type { MoveVerb, Thresholds } from './lifecycle.ts';
import type { Limits, Ordering } from './limits.ts';
import type { Logger, Retention } from './options.ts';
import type { PriorityVerbs } from './pool-driver.ts';
import type { ConfirmOutcome, LogPage, ReceiveOutcome, RollbackOutcome, TipAnswer, Usage } from './store.ts';
import type { ChainPoint, StoredTransaction, Transaction, TransactionStatus } from './transaction.ts';

/** A block with its arguments checked: no hash twice, none in both lists, thresholds complete. */
export interface CheckedBlock {
  readonly point: ChainPoint;
  readonly parent: string | null;
  readonly seen: readonly string[];
  readonly unseen: readonly string[];
  /** Tags, distinct; empty in a pool in order of arrival. */
  readonly provides: readonly string[];
  readonly thresholds: Thresholds;
}

/** What `open` of a backend definition receives: every option checked and filled in. */
export interface DriverOptions {
  readonly pool: string;
  readonly thresholds: Thresholds;
  /** Only what this open names: stored with the pool, for all nodes, until another open names it. */
  readonly retention: Partial<Retention>;
  readonly maxTxBytes: number;
  /** Recorded with the pool; reopening with another is `ERR_MEMPOOL_INCOMPATIBLE`. */
  readonly ordering: Ordering;
  /** Only what this open names: stored with the pool, for all nodes, until another open or `setLimits` names it. */
  readonly limits: Partial<Limits>;
  /** Milliseconds since 1970, where the application gives the pool's clock; `null`: the store's own, else this machine's. */
  readonly now: (() => number) | null;
  /** Name of the election whose lease guards the tip (X6). */
  readonly election: string;
  /** `confirm` and `rollback` always need a lease (X6). */
  readonly fenced: boolean;
  /** How long a call may wait for the store before it fails (X5). */
  readonly timeoutMs: number;
  /** Milliseconds that only rise; the one clock a backend may read. */
  readonly clock: () => number;
  readonly log: Logger;
}

/**
 * What an author of a backend writes. `defineBackend` puts the checks, the copies, abort, `close` and the event streams
 * around it, so every argument that arrives here is valid, hash lists name no hash twice, at most 1,000 transactions come
 * in one call, limits are clamped and payloads handed in are the backend's own. Payloads handed out must be fresh copies.
 *
 * A verb ends a wait with `signal`'s reason while nothing was sent or written, and completes once it was (R3).
 */
export interface StoreDriver extends EventSource, Partial<PriorityVerbs> {
  /** `receive` and `admit` copy the payloads that they keep before they return: those arrive as the caller's own. */
  readonly copiesPayloads?: true;
  receive(transactions: readonly Transaction[], context: WriteContext): Awaitable<ReceiveOutcome[]>;
  /** L3, L4 by `transitions`: the hashes moved, in the order given. */
  move(verb: MoveVerb, hashes: readonly string[], context: WriteContext): Awaitable<string[]>;
  /** L10: the hashes dropped, in the order given. */
  drop(hashes: readonly string[], reason: string, context: WriteContext): Awaitable<string[]>;
  confirm(block: CheckedBlock, context: ChainContext): Awaitable<ConfirmOutcome>;
  rollback(point: ChainPoint | null, context: ChainContext): Awaitable<RollbackOutcome>;
  peekPending(after: number, limit: number, context: ReadContext): Awaitable<StoredTransaction[]>;
  peekInflight(after: number, limit: number, context: ReadContext): Awaitable<StoredTransaction[]>;
  findInflight(hashes: readonly string[], context: ReadContext): Awaitable<(StoredTransaction | null)[]>;
  /** O3, in the order given; a hash may come twice. */
  checkStatus(hashes: readonly string[], context: ReadContext): Awaitable<TransactionStatus[]>;
  dumpFinalized(cursor: number, limit: number, context: ReadContext): Awaitable<LogPage>;
  tip(points: number, context: ReadContext): Awaitable<TipAnswer>;
  usage(context: ReadContext): Awaitable<Usage>;
  /** Called once, after every call has ended. Frees files, sockets, timers. */
  close(): Awaitable<void>;
}
