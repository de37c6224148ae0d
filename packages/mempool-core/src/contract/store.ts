import type {
  ChainOptions,
  LogQuery,
  ReadOptions,
  SeqQuery,
  SubscribeOptions,
  TipOptions,
  WriteOptions,
} from './call-options.ts';
import type { Capabilities } from './capabilities.ts';
import type { MempoolEvent } from './events.ts';
import type { Thresholds } from './lifecycle.ts';
import type { Ordering } from './limits.ts';
import type { AdmissionRefusal, Load, PoolVerbs, ReceiveOptions, Submission } from './pool-verbs.ts';
import type { ChainPoint, LogEntry, StoredTransaction, Tip, TransactionStatus } from './transaction.ts';

/** One outcome per transaction, in the order given. */
export type ReceiveOutcome =
  | {
      readonly kind: 'received';
      readonly hash: string;
      readonly seq: number;
      /** `Confirmed` where the last blocks already carried it (L13). */
      readonly stage: 'Pending' | 'Confirmed';
      /** Only where it waits for a parent. */
      readonly parked?: true;
    }
  | {
      readonly kind: 'duplicate';
      readonly hash: string;
      readonly stage: 'Pending' | 'Propagated' | 'Acknowledged' | 'Confirmed' | 'Finalized';
    }
  /** Its payload has more bytes than the store takes. Nothing is recorded of it under an operation id: a repeat looks again. */
  | { readonly kind: 'too-large'; readonly hash: string; readonly maxTxBytes: number }
  /** A limit or a rule of the pool itself refuses it; stores that are full reject instead (M3). */
  | AdmissionRefusal;

/** One block of the chain, as it touches this pool. */
export interface Block {
  readonly point: ChainPoint;
  /** Hash of the block before it: the block is applied only on that one (X3). */
  readonly parent?: string | undefined;
  /** Hashes in the block; any number, whether the pool knows them or not. */
  readonly seen: readonly string[];
  /** Hashes the chain no longer carries. */
  readonly unseen: readonly string[];
  /** Tags that it satisfied or spent, by transactions of others: live ones that provide them are Dropped(conflict). Priority pools. */
  readonly provides?: readonly string[] | undefined;
}

/** Thresholds for one call; what is left out is the pool's. */
export type Policy = Partial<Thresholds>;

export type ConfirmOutcome =
  | {
      readonly kind: 'applied';
      readonly tip: Tip;
      /** How many transactions became Confirmed, those that were Finalized by the same block included. */
      readonly confirmed: number;
      readonly returned: number;
      readonly finalized: number;
      readonly dropped: number;
    }
  | { readonly kind: 'duplicate'; readonly tip: Tip }
  | { readonly kind: 'gap'; readonly tip: Tip }
  /** Another one leads, or nobody does (X6). Nothing was changed, and nothing is recorded under an operation id. */
  | { readonly kind: 'fenced'; readonly tip: Tip };

export type RollbackOutcome =
  | {
      readonly kind: 'rolled-back';
      readonly tip: Tip;
      /** Blocks undone. */
      readonly undone: number;
      /** Transactions that went back to Pending. */
      readonly returned: number;
    }
  | { readonly kind: 'unchanged'; readonly tip: Tip }
  | { readonly kind: 'fenced'; readonly tip: Tip }
  | {
      readonly kind: 'unknown-point';
      readonly tip: Tip;
      /** The oldest point that can be rolled back to; `null` when none is kept. */
      readonly oldest: ChainPoint | null;
    };

export interface LogPage {
  readonly entries: LogEntry[];
  /** The cursor of the next page. */
  readonly cursor: number;
  readonly hasMore: boolean;
  /** Entries between the cursor asked for and the first one here that were trimmed. */
  readonly missed: number;
}

export interface TipAnswer extends Tip {
  /** The last applied points, newest first, as many as asked for and kept. */
  readonly points: ChainPoint[];
}

export interface Usage {
  readonly pending: number;
  readonly propagated: number;
  readonly acknowledged: number;
  readonly confirmed: number;
  /** Entries in the terminal log. */
  readonly logged: number;
  /** Number of the newest log entry; 0 before the first. */
  readonly lastLogSeq: number;
  /** The newest seq given out; 0 before the first. */
  readonly lastSeq: number;
  /** Number of the last event; 0 before the first. */
  readonly lastEventSeq: number;
  /** Of a priority pool. */
  readonly load?: Load;
}

/**
 * The contract: a pool of transactions from the moment they are received until the chain has made them final. Every
 * mutating verb is one atomic step (X1); every verb rejects with a `MempoolError`:
 *
 * @throws `ERR_MEMPOOL_INVALID` for a bad argument, naming it, before anything is written (M2)
 * @throws `ERR_MEMPOOL_CLOSED` after `close` (R2)
 * @throws `ERR_MEMPOOL_UNAVAILABLE` when the store could not be reached in time and nothing was sent (X5)
 * @throws `ERR_MEMPOOL_OUTCOME_UNKNOWN` when it was sent and the answer was lost; repeat with the same operation id (X5)
 * @throws `ERR_MEMPOOL_STORE_FULL` when there is no room for the write; nothing was changed (M3)
 */
export interface MempoolStore extends PoolVerbs, AsyncDisposable {
  /** The backend's name. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /** The order it was opened with. */
  readonly ordering: Ordering;

  /** Takes in at most 1,000 transactions in arrival order (L1, L2, L13). Payload bytes are copied before it returns (M1). */
  receive(transactions: readonly Submission[], options?: ReceiveOptions): Promise<ReceiveOutcome[]>;
  /** Whether anything waits to be propagated (O2). */
  hasPending(options?: ReadOptions): Promise<boolean>;
  /** Pending transactions by seq (O1); an empty page is the end. @throws `ERR_MEMPOOL_CORRUPT` (M2) */
  peekPending(query?: SeqQuery): Promise<StoredTransaction[]>;
  /** Pending → Propagated (L3). Returns the hashes moved, in the order asked. */
  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  /** Propagated → Acknowledged (L4). Returns the hashes moved, in the order asked. */
  markAcknowledged(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  /** Propagated or Acknowledged → Pending at its place (L4). Returns the hashes moved, in the order asked. */
  release(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  /** Any live stage but Confirmed → Dropped (L10). `reason`: 1–256 characters. Returns the hashes dropped, in the order asked. */
  drop(hashes: readonly string[], reason: string, options?: WriteOptions): Promise<string[]>;
  /** The transactions in flight among these, in the order asked; `null` for any other. @throws `ERR_MEMPOOL_CORRUPT` (M2) */
  findInflight(hashes: readonly string[], options?: ReadOptions): Promise<(StoredTransaction | null)[]>;
  /** What is in flight (Propagated, Acknowledged, Confirmed) by seq (O1). @throws `ERR_MEMPOOL_CORRUPT` (M2) */
  peekInflight(query?: SeqQuery): Promise<StoredTransaction[]>;
  /** Applies one block (L5, L6, X3, X6). */
  confirm(block: Block, policy?: Policy, options?: ChainOptions): Promise<ConfirmOutcome>;
  /** Moves the tip back to a point applied earlier; `null` undoes all that is kept (L9, X6). */
  rollback(point: ChainPoint | null, options?: ChainOptions): Promise<RollbackOutcome>;
  /** What became of each of at most 1,000 hashes, in the order asked (O3). */
  checkStatus(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]>;
  /** A page of the terminal log, oldest first (O4). @throws `ERR_MEMPOOL_CORRUPT` with the `logSeq` to step over (M2) */
  dumpFinalized(query?: LogQuery): Promise<LogPage>;
  /** Resolves when every later commit is sure to be delivered (E3). Abort, `break` and `close` end the stream (E4). */
  subscribe(options?: SubscribeOptions): Promise<AsyncIterable<MempoolEvent>>;
  /** The last block applied (X4). */
  tip(options?: TipOptions): Promise<TipAnswer>;
  /** How much the pool holds, in constant time. */
  usage(options?: ReadOptions): Promise<Usage>;
  /** Waits for the accepted calls, ends the streams, frees everything (R2). Twice is fine. */
  close(): Promise<void>;
}
