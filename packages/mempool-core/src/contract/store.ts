import type { Thresholds } from './lifecycle.ts';
import type { AdmissionRefusal, Load } from './pool-verbs.ts';
import type { ChainPoint, LogEntry, Tip } from './transaction.ts';
import type { Refused } from './validation.ts';

/** The outcome of `submit`, and of `receive` for each transaction, in the order given. */
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
  | AdmissionRefusal
  /** The application refused it (`validate`). Drivers do not answer this. */
  | Refused;

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
