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
  DamagedEntry,
  DamagedTransaction,
  LogEntry,
  StoredTransaction,
  Tip,
  TransactionPage,
  TransactionStatus,
} from './transaction.ts';

/** What `receive` answers for one transaction. The list has one outcome for each transaction, in the order given. */
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
   * The pool refuses the transaction by a limit or a rule. A store without room rejects the whole call instead (M3).
   */
  | AdmissionRefusal;

/** One block of the chain, reduced to what matters to a pool. */
export interface Block {
  readonly point: ChainPoint;
  /** Hash of the previous block. If given, the block is applied only if that block is the tip (X3). `null`: not given. */
  readonly parent?: string | null | undefined;
  /** Hashes of the transactions in the block. Any number; the pool need not know them. */
  readonly seen: readonly string[];
  /** Hashes of transactions that the chain no longer carries. They return to Pending. */
  readonly unseen: readonly string[];
  /**
   * Tags that the block satisfied or spent by transactions outside the pool, such as the inputs they spent. Live
   * transactions that provide such a tag are dropped with the reason `conflict`. Priority pools only.
   */
  readonly provides?: readonly string[] | undefined;
}

/** Thresholds for one `confirm` call. A threshold that is left out is the pool's own. */
export type Policy = Partial<Thresholds>;

/**
 * What `confirm` answers. Only `applied` changed the pool. `duplicate`: the block is known; `gap`: its parent is not
 * the tip.
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

/** Where a rollback goes: to a point that was applied, or back before every block that is kept. */
export type RollbackTarget = ChainPoint | 'origin';

/** What `rollback` answers. Only `rolled-back` changed the pool. `unchanged`: the point is the tip already. */
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

/** A page of the terminal log, oldest entry first. */
export interface LogPage {
  readonly entries: LogEntry[];
  /** The damaged entries among them, which are passed over (M2). */
  readonly damaged: readonly DamagedEntry[];
  /** The cursor that gets the next page. */
  readonly cursor: string;
  readonly hasMore: boolean;
  /** Number of entries that were trimmed between the cursor asked for and the first entry of this page. */
  readonly missed: number;
}

/** The tip, and the last applied points if they were asked for. */
export interface TipAnswer extends Tip {
  /** The last applied points, newest first: at most as many as asked for, and only those that the pool keeps. */
  readonly points: ChainPoint[];
  /** Identifies the pool. It changes if the pool is made anew; cursors of another epoch are refused (O7). */
  readonly epoch: string;
}

/** The transaction that has been in flight longest. */
export interface OldestInflight {
  readonly hash: string;
  /** When it went out, in milliseconds since 1970 by the pool's clock. */
  readonly sentAt: number;
}

/** How much a pool holds: numbers of transactions by stage, and the last numbers given out. */
export interface Usage {
  /** All that are Pending. In a priority pool `load` tells ready and parked ones apart. */
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
  /** The newest seq given out; 0 before the first. */
  readonly lastSeq: number;
  /** Number of the last event; 0 before the first. */
  readonly lastEventSeq: number;
  /** Identifies the pool, as in `tip`. */
  readonly epoch: string;
  /** The ends of the events, of the log and of `since`: what comes later comes after these cursors (O7). */
  readonly cursors: { readonly events: string; readonly log: string; readonly gossip: string };
  /**
   * The Propagated or Acknowledged transaction that went out first; of several, the one with the lowest seq. `null` if there is
   * none whose time is known (L14).
   */
  readonly oldestInflight: OldestInflight | null;
  /** How full the pool is. Priority pools only. */
  readonly load?: Load;
}

/**
 * The contract that every backend keeps. `ordering` tells the two kinds of pool apart: after `if (store.ordering ===
 * 'fifo')`, there is no `best`, `stale` or `revise`.
 */
export type MempoolStore = FifoStore | PriorityStore;

/** The store of a pool of this ordering. */
export type StoreOf<O extends Ordering> = Extract<MempoolStore, { readonly ordering: O }>;

/** The store of a pool in order of arrival. */
export interface FifoStore extends StoreVerbs {
  readonly ordering: 'fifo';
}

/** The store of a pool in order of priority. */
export interface PriorityStore extends StoreVerbs, PriorityVerbs {
  readonly ordering: 'priority';
}

/**
 * A store of either ordering with the verbs of both, as a backend makes it. In a fifo pool the verbs of a priority pool
 * reject with `ERR_MEMPOOL_UNSUPPORTED`.
 */
export interface AnyStore extends StoreVerbs, PriorityVerbs {
  readonly ordering: Ordering;
}

/**
 * The verbs of every store: a pool of transactions, from the moment they are received until the chain has
 * made them final. Each verb that changes the pool is one atomic step (X1). Letters with numbers, such as L1, name the
 * rules in `docs/contract.md`.
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
   * A page of Pending transactions, ordered by `seq` (O1). Damaged records are passed over and named (M2).
   *
   * @example const { transactions, next } = await store.peekPending({ after: page.next, limit: 500 });
   * @throws `ERR_MEMPOOL_CURSOR` if `after` belongs to an earlier pool (O7)
   */
  peekPending(query?: SeqQuery): Promise<TransactionPage>;
  /**
   * Moves Pending transactions to Propagated: they were sent to the network (L3). Returns the hashes that it moved, in the
   * order given. Hashes in another stage are left as they are.
   *
   * @example const sent = await store.markInflight(page.map(({ hash }) => hash));
   */
  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  /**
   * Moves Propagated transactions to Acknowledged: a peer has taken them (L4). Returns the hashes that it moved, in the
   * order given.
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
   * one of the pool's words, or `{ app }` with a text of 1–256 characters. Returns the hashes that it dropped, in the
   * order given.
   *
   * @example await store.drop([hash], { app: 'withdrawn by its sender' });
   */
  drop(hashes: readonly string[], reason: DropReason, options?: DropOptions): Promise<string[]>;
  /**
   * The records of those hashes that are in flight, in the order given; `null` for any other hash. A damaged record is
   * `{ kind: 'damaged', hash }` in its place (M2).
   */
  findInflight(
    hashes: readonly string[],
    options?: ReadOptions,
  ): Promise<(StoredTransaction | DamagedTransaction | null)[]>;
  /**
   * A page of the transactions in flight (Propagated, Acknowledged, Confirmed), ordered by `seq` (O1).
   *
   * @throws `ERR_MEMPOOL_CURSOR` if `after` belongs to an earlier pool (O7)
   */
  peekInflight(query?: SeqQuery): Promise<TransactionPage>;
  /**
   * Applies one block: confirms what it carries, returns what the chain no longer carries, finalizes and drops by age
   * (L5, L6, X3, X6).
   *
   * @example const { kind } = await store.confirm({ point, parent, seen: hashes, unseen: [] }); // 'applied'
   */
  confirm(block: Block, policy?: Policy, options?: ChainOptions): Promise<ConfirmOutcome>;
  /**
   * Undoes the blocks after a point that was applied earlier. `'origin'` undoes every block that is kept (L9, X6).
   *
   * @example const outcome = await store.rollback(forkPoint); // outcome.kind === 'rolled-back'
   */
  rollback(target: RollbackTarget, options?: ChainOptions): Promise<RollbackOutcome>;
  /**
   * The status of each of up to 1,000 hashes, in the order given (O3).
   *
   * @example const [{ stage, confirmations }] = await store.checkStatus([hash]);
   */
  checkStatus(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]>;
  /**
   * A page of the terminal log, oldest entry first (O4). Damaged entries are passed over and named (M2).
   *
   * @throws `ERR_MEMPOOL_CURSOR` if `cursor` belongs to an earlier pool (O7)
   */
  dumpFinalized(query?: LogQuery): Promise<LogPage>;
  /**
   * A stream of events. Once the promise resolves, the stream delivers every later commit (E3). `break` and `close` end
   * it; after an abort the loop throws the signal's reason (E4).
   *
   * @example for await (const event of await store.subscribe({ after: cursor })) handle(event);
   */
  subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>>;
  /** The last block applied (X4). */
  tip(options?: TipOptions): Promise<TipAnswer>;
  /** How much the pool holds. The cost does not depend on how much that is. */
  usage(options?: ReadOptions): Promise<Usage>;
  /**
   * Waits for the calls that it has accepted, ends the streams and frees all resources (R2). A second call does
   * nothing.
   */
  close(): Promise<void>;
}

/** What a backend promises beyond the basic contract. The values never change. */
export interface Capabilities {
  /** The state survives `close` and a killed process (D1). */
  readonly durable: boolean;
  /** The same pool may be open several times, also in several processes: each is a node on the same state (N1). */
  readonly shared: boolean;
  /** The backend can check leases: `confirm` and `rollback` are fenced by the pool's election (X6). */
  readonly lease: boolean;
  /** The backend offers priority pools: `ordering: 'priority'`. */
  readonly priority: boolean;
  /** Its pools keep records of the application: `getRecord`, `putRecord`, `listRecords` (K1–K4). */
  readonly records: boolean;
  /** A new, empty pool takes the `dump` of another: `restore` (D3). */
  readonly restore: boolean;
}
