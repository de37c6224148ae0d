import type {
  ChainOptions,
  ClaimOptions,
  DropOptions,
  LogQuery,
  ReadOptions,
  ReleaseOptions,
  SeqQuery,
  SubscribeOptions,
  TipOptions,
  WriteOptions,
} from './call-options.ts';
import type { DropReason } from './drop-reason.ts';
import type { MempoolEvent } from './events.ts';
import type { Thresholds } from './lifecycle.ts';
import type { Ordering } from './limits.ts';
import type { AdmissionRefusal, Load, PoolVerbs, PriorityVerbs, ReceiveOptions, Submission } from './pool-verbs.ts';
import type { RecordVerbs } from './records.ts';
import type {
  ChainPoint,
  LogEntry,
  StoredTransaction,
  Tip,
  TransactionPage,
  TransactionStatus,
} from './transaction.ts';

/** The outcome of `receive` for one transaction. `receive` returns one for each transaction, in the order given. */
export type ReceiveOutcome =
  | {
      readonly kind: 'received';
      readonly hash: string;
      readonly seq: number;
      /** `Confirmed` if one of the last blocks already carried the hash (L13), else `Pending`. */
      readonly stage: 'Pending' | 'Confirmed';
      /** Present if a priority pool parks the transaction until a parent arrives. */
      readonly parked?: true;
    }
  | {
      readonly kind: 'duplicate';
      readonly hash: string;
      readonly stage: 'Pending' | 'Propagated' | 'Acknowledged' | 'Confirmed' | 'Finalized';
    }
  /** The payload is larger than `maxTxBytes`. This outcome is not recorded under an operation id. */
  | { readonly kind: 'too-large'; readonly hash: string; readonly maxTxBytes: number }
  /**
   * The pool refuses the transaction by a limit or a rule. If the store itself has no room, the whole call rejects (M3).
   */
  | AdmissionRefusal;

/** One block of the chain, reduced to the fields that a pool needs. */
export interface Block {
  readonly point: ChainPoint;
  /** Hash of the previous block. If given, the block is applied only if that block is the tip (X3). `null` means not given. */
  readonly parent?: string | null | undefined;
  /** Hashes of the transactions in the block. Any number; the pool need not know them. */
  readonly seen: readonly string[];
  /** Hashes of transactions that the chain no longer carries. They return to Pending. Default: none. */
  readonly unseen?: readonly string[] | undefined;
  /**
   * Tags that the block satisfied through transactions outside the pool, such as the inputs they spent. Live transactions
   * that provide such a tag are dropped with the reason `conflict`. Priority pools only.
   */
  readonly provides?: readonly string[] | undefined;
}

/** Thresholds for one `confirm` call. A field that is left out defaults to the pool's own threshold. */
export type Policy = Partial<Thresholds>;

/**
 * The outcome of `confirm`. Only `applied` means that the pool changed. `duplicate` means that the block was applied
 * before. `gap` means that its parent is not the tip, or that it
 * names none and its slot is below the tip's.
 */
export type ConfirmOutcome =
  | {
      readonly kind: 'applied';
      readonly tip: Tip;
      /** Transactions that became Confirmed, including those that the same block made Finalized. */
      readonly confirmed: number;
      readonly returned: number;
      readonly finalized: number;
      readonly dropped: number;
    }
  | { readonly kind: 'duplicate'; readonly tip: Tip }
  | { readonly kind: 'gap'; readonly tip: Tip }
  /** The lease is not the live one (X6). Nothing changed, and nothing is recorded under an operation id. */
  | { readonly kind: 'fenced'; readonly tip: Tip };

/** The target of a rollback: a point that was applied, or `'origin'` to undo every block that is kept. */
export type RollbackTarget = ChainPoint | 'origin';

/** The outcome of `rollback`. Only `rolled-back` means that the pool changed. `unchanged` means that the point is the tip. */
export type RollbackOutcome =
  | {
      readonly kind: 'rolled-back';
      readonly tip: Tip;
      /** Number of blocks undone. */
      readonly undone: number;
      /** Number of transactions that returned to Pending. */
      readonly returned: number;
    }
  | { readonly kind: 'unchanged'; readonly tip: Tip }
  | { readonly kind: 'fenced'; readonly tip: Tip }
  | {
      readonly kind: 'unknown-point';
      readonly tip: Tip;
      /** The oldest point that a rollback can reach; `null` if the pool keeps none. */
      readonly oldest: ChainPoint | null;
    };

/** A page of the terminal log, oldest entry first, without damaged entries (M2). */
export interface LogPage {
  readonly entries: LogEntry[];
  /** The cursor that gets the next page. */
  readonly cursor: string;
  readonly hasMore: boolean;
  /** Number of entries that were trimmed between the cursor asked for and the first entry of this page. */
  readonly missed: number;
}

/** The tip, with the last applied points if the caller asked for them. */
export interface TipAnswer extends Tip {
  /** The last applied points that the pool keeps, newest first; at most as many as the caller asked for. */
  readonly points: ChainPoint[];
  /** Identifies the pool. It changes if the pool is made anew. Cursors of another epoch are refused (O7). */
  readonly epoch: string;
}

/** The transaction that has been in flight longest. */
export interface OldestInflight {
  readonly hash: string;
  /** When it was last sent, in milliseconds since 1970 by the pool's clock. */
  readonly sentAt: number;
}

/** The size of a pool: its number of transactions by stage, and the last numbers it assigned. */
export interface Usage {
  /** Pending transactions, both ready and parked. In a priority pool, `load` counts the two separately. */
  readonly pending: number;
  /** Pending transactions that are held back (P20). */
  readonly held: number;
  readonly propagated: number;
  readonly acknowledged: number;
  readonly confirmed: number;
  /** Number of entries in the terminal log. */
  readonly logged: number;
  /** Number of the newest log entry; 0 before the first. */
  readonly lastLogSeq: number;
  /** The last `seq` that was assigned; 0 before the first. */
  readonly lastSeq: number;
  /** Number of the last event; 0 before the first. */
  readonly lastEventSeq: number;
  /** Identifies the pool, as in `tip`. */
  readonly epoch: string;
  /** Cursors at the end of the events, of the log and of `since`. Read from them to get only new entries (O7). */
  readonly cursors: { readonly events: string; readonly log: string; readonly gossip: string };
  /**
   * The Propagated or Acknowledged transaction that was sent first; if several were, the one with the lowest seq. `null` if
   * there is none with a known time of sending (L14).
   */
  readonly oldestInflight: OldestInflight | null;
  /** How full the pool is. Priority pools only. */
  readonly load?: Load;
}

/**
 * The contract that every backend keeps. It is a union discriminated by `ordering`: after `if (store.ordering === 'fifo')`
 * the type has no `best`, `stale` or `revise`.
 */
export type MempoolStore = FifoStore | PriorityStore;

/** The store of a pool of this ordering. */
export type StoreOf<O extends Ordering> = Extract<MempoolStore, { readonly ordering: O }>;

/** The store of a fifo pool. */
export interface FifoStore extends StoreVerbs {
  readonly ordering: 'fifo';
}

/** The store of a priority pool. */
export interface PriorityStore extends StoreVerbs, PriorityVerbs {
  readonly ordering: 'priority';
}

/**
 * A store of either ordering that has the verbs of both. In a fifo pool, the verbs of a priority pool reject with
 * `ERR_MEMPOOL_UNSUPPORTED`.
 */
export interface AnyStore extends StoreVerbs, PriorityVerbs {
  readonly ordering: Ordering;
}

/**
 * The verbs of every store. A store keeps a pool of transactions from their arrival until the chain has made them final.
 * Each call that changes the pool is one atomic step (X1). Ids such as L1 name the rules in `docs/contract.md`.
 *
 * @throws `ERR_MEMPOOL_INVALID` if an argument is wrong; the message names it, and nothing was written (M2)
 * @throws `ERR_MEMPOOL_CLOSED` after `close` (R2)
 * @throws `ERR_MEMPOOL_UNAVAILABLE` if the store could not be reached in time; nothing was sent (X5)
 * @throws `ERR_MEMPOOL_OUTCOME_UNKNOWN` if the answer was lost; repeat the call with the same operation id (X5)
 * @throws `ERR_MEMPOOL_STORE_FULL` if there is no room for the write; nothing changed (M3)
 */
export interface StoreVerbs extends PoolVerbs, RecordVerbs, AsyncDisposable {
  /** The name of the backend. */
  readonly name: string;
  readonly capabilities: Capabilities;

  /**
   * Adds up to 1,000 transactions to the pool, in the order given (L1, L2, L13). The store copies the payloads before the
   * call returns to the event loop, so the caller may reuse its buffers at once (M1).
   *
   * @example const [outcome] = await store.receive([{ hash, payload, payloadType: 0 }]); // outcome.kind === 'received'
   */
  receive(transactions: readonly Submission[], options?: ReceiveOptions): Promise<ReceiveOutcome[]>;
  /** True if at least one transaction is Pending (O2). */
  hasPending(options?: ReadOptions): Promise<boolean>;
  /**
   * Returns a page of Pending transactions, ordered by `seq` (O1). It skips damaged ones (M2).
   *
   * @example const { transactions, next } = await store.peekPending({ after: page.next, limit: 500 });
   * @throws `ERR_MEMPOOL_CURSOR` if `after` belongs to an earlier pool (O7)
   */
  peekPending(query?: SeqQuery): Promise<TransactionPage>;
  /**
   * Moves Pending transactions to Propagated, which means sent to the network (L3). Returns the hashes that it moved, in
   * the order given. Transactions in another stage do not change.
   *
   * @example const sent = await store.markInflight(page.map(({ hash }) => hash));
   */
  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  /**
   * Moves Propagated transactions to Acknowledged, which means accepted by a peer (L4). Returns the hashes that it moved, in
   * the order given.
   *
   * @example await store.markAcknowledged([hash]);
   */
  markAcknowledged(hashes: readonly string[], options?: ClaimOptions): Promise<string[]>;
  /**
   * Moves Propagated and Acknowledged transactions back to Pending, for another attempt (L4). They keep their `seq`, so
   * their position does not change. Returns the hashes that it moved, in the order given.
   *
   * @example await store.release(sent); // the peer did not answer
   * @example await store.release(hashes, { claim: claimId, notBeforeMs: Date.now() + 5_000 }); // again in 5 s (P19, P20)
   */
  release(hashes: readonly string[], options?: ReleaseOptions): Promise<string[]>;
  /**
   * Drops transactions that are Pending, Propagated or Acknowledged, and writes them to the terminal log (L10). `reason` is
   * one of `poolReasons`, or `{ app }` with a text of 1–256 characters. Returns the hashes that it dropped, in the order
   * given.
   *
   * @example await store.drop([hash], { app: 'withdrawn by its sender' });
   */
  drop(hashes: readonly string[], reason: DropReason, options?: DropOptions): Promise<string[]>;
  /**
   * Returns for each hash, in the order given, its transaction if that is in flight, else `null`. A damaged one is `null`,
   * too; its status tells its stage (M2).
   */
  findInflight(hashes: readonly string[], options?: ReadOptions): Promise<(StoredTransaction | null)[]>;
  /**
   * Returns a page of the transactions in flight (Propagated, Acknowledged, Confirmed), ordered by `seq` (O1).
   *
   * @throws `ERR_MEMPOOL_CURSOR` if `after` belongs to an earlier pool (O7)
   */
  peekInflight(query?: SeqQuery): Promise<TransactionPage>;
  /**
   * Applies one block (L5, L6, X3, X6): confirms the transactions in `seen`, returns those in `unseen` to Pending, and
   * finalizes or drops transactions by age.
   *
   * @example const { kind } = await store.confirm({ point, parent, seen: hashes }); // 'applied'
   */
  confirm(block: Block, policy?: Policy, options?: ChainOptions): Promise<ConfirmOutcome>;
  /**
   * Undoes the blocks after a point that was applied earlier. `'origin'` undoes every block that is kept (L9, X6).
   *
   * @example const outcome = await store.rollback(forkPoint); // outcome.kind === 'rolled-back'
   */
  rollback(target: RollbackTarget, options?: ChainOptions): Promise<RollbackOutcome>;
  /**
   * Returns the status of each of up to 1,000 hashes, in the order given (O3).
   *
   * @example const [{ stage, confirmations }] = await store.checkStatus([hash]);
   */
  checkStatus(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]>;
  /**
   * Returns a page of the terminal log, oldest entry first (O4). It skips damaged entries (M2).
   *
   * @throws `ERR_MEMPOOL_CURSOR` if `cursor` belongs to an earlier pool (O7)
   */
  dumpFinalized(query?: LogQuery): Promise<LogPage>;
  /**
   * Returns a stream of events. Once the promise resolves, the stream delivers the events of every later commit (E3).
   * `break` and `close` end it. After an abort, the loop throws the signal's reason (E4).
   *
   * @example for await (const event of await store.subscribe({ after: cursor })) handle(event);
   */
  subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>>;
  /** Returns the last block applied (X4). */
  tip(options?: TipOptions): Promise<TipAnswer>;
  /** Returns the size of the pool. The cost does not depend on that size. */
  usage(options?: ReadOptions): Promise<Usage>;
  /**
   * Closes the store: waits for the calls that were accepted, ends the streams and frees all resources (R2). A second call
   * does nothing.
   */
  close(): Promise<void>;
}

/** The optional features that a backend supports. The values never change. */
export interface Capabilities {
  /** The state survives `close` and a killed process (D1). */
  readonly durable: boolean;
  /** The same pool may be opened several times, by several processes too. Each open is a node on the same state (N1). */
  readonly shared: boolean;
  /** The backend checks leases, so the pool's election fences `confirm` and `rollback` (X6). */
  readonly lease: boolean;
  /** The backend offers priority pools: `ordering: 'priority'`. */
  readonly priority: boolean;
  /** The backend offers `getRecord`, `putRecord` and `listRecords` (K1–K4). */
  readonly records: boolean;
  /** The backend offers `import`, which fills an empty pool from the `export` of another (D3). */
  readonly import: boolean;
}
