import type { Awaitable, WriteContext } from './call-options.ts';
import type { TxState } from './lifecycle.ts';
import type { Limits, Ordering } from './limits.ts';
import type { ClaimRecord, Entry } from './pool-entry.ts';
import type { NamedValue } from './records.ts';
import type { ChainPoint, Transaction } from './transaction.ts';
import type { CheckedVerdict } from './verdict.ts';

/** The claims and the limits of a fifo pool in a dump. */
export interface DumpedClaims {
  readonly maxTxs: number;
  /** Left out if the pool never closes (P27). */
  readonly acceptUntil?: number | undefined;
  readonly lots: readonly {
    readonly claim: ClaimRecord;
    readonly held: readonly (readonly [hash: string, seq: number])[];
  }[];
}

/** One part of a pool's content. */
export type DumpedPart =
  /** The first part: the pool's numbers. */
  | {
      readonly kind: 'base';
      /** The tick of the tip. */
      readonly tick: number;
      /** The first tick whose block is kept. */
      readonly floor: number;
      readonly lastSeq: number;
      /** Number of the newest log entry that was trimmed. The entries are numbered from the next one. */
      readonly trimmedLog: number;
      /** The time of the last call with events (E5); 0 before the first. */
      readonly lastAt: number;
      /** Number of the newest event that was trimmed. Always 0 in a dump, which has no events. */
      readonly trimmedEvents: number;
      /** Absent in a priority pool, and in a fifo pool that has neither claims nor limits. */
      readonly fifo?: DumpedClaims | null;
    }
  /** A kept block, with the hashes that no earlier kept block carried. */
  | {
      readonly kind: 'block';
      readonly block: { readonly tick: number; readonly point: ChainPoint; readonly sighted: readonly string[] };
    }
  /**
   * A live transaction, or the next entry of the log. `body` is `null` in a log entry if another part has a later state of
   * the same hash, because the payload is in that part.
   */
  | {
      readonly kind: 'write';
      readonly write: {
        readonly after: TxState;
        /** The confirming block. */
        readonly point: ChainPoint | null;
        readonly body: Transaction | null;
      };
      /** When the log entry was written (E5). Absent for a live transaction. */
      readonly at?: number;
    }
  /** A record of the application. After all records, one `version` part has the version of the last change of any. */
  | { readonly kind: 'record'; readonly record: NamedValue }
  | { readonly kind: 'version'; readonly lastVersion: number }
  /** Only a priority pool has this part and those below. */
  | { readonly kind: 'limits'; readonly limits: Partial<Limits> }
  | { readonly kind: 'gossip'; readonly lastGossipSeq: number }
  | { readonly kind: 'satisfied'; readonly tag: string; readonly tick: number }
  /** The entry of a transaction that came as a write: a live one, or one in the log with a body. */
  | { readonly kind: 'entry'; readonly entry: Entry };

/** The whole content of a pool, for `restore`: the result of `dump`, or a stream of the same parts. */
export interface PoolContent {
  readonly ordering: Ordering;
  /** The parts, in the order of `dump`. `restore` iterates over them once. */
  readonly content: Iterable<DumpedPart> | AsyncIterable<DumpedPart>;
}

/**
 * The whole content of a pool: transactions with payloads, stages and ticks, blocks, log, claims and records. It has no
 * events and no operation ids. Pools with the same content have deeply equal dumps. It is plain data that
 * `structuredClone` copies.
 */
export interface DumpedPool extends PoolContent {
  readonly content: readonly DumpedPart[];
}

/** The outcome of `restore`. */
export type RestoreOutcome =
  | { readonly kind: 'restored' }
  /** The pool is not new: something was written to it before. Nothing changed. */
  | { readonly kind: 'not-empty' };

/** The verb of a driver that can restore a pool. */
export interface DumpDriver {
  /** Stores all of `content` or nothing. The content was checked, and the backend owns its bytes. */
  restorePool(content: readonly DumpedPart[], context: WriteContext): Awaitable<RestoreOutcome>;
}

/** The state of a pool in canonical form: equal states have deeply equal dumps. */
export interface PoolDump extends DumpedPool, IndexDump {}

/** The index of a pool. It can be computed from the content. In a fifo pool it has no entries, tags and senders. */
export interface IndexDump {
  readonly limits: Limits;
  readonly lastGossipSeq: number;
  readonly totals: {
    readonly transactions: number;
    readonly bytes: number;
    readonly gas: number;
    readonly parked: number;
  };
  /** Every live and every logged transaction, ordered by hash. */
  readonly entries: readonly DumpedEntry[];
  /** Hashes of all Pending transactions, ready and parked, in the order of the index. */
  readonly order: readonly string[];
  /** For each tag, the hashes of the live transactions that provide it. Tags and hashes are sorted. */
  readonly providers: readonly (readonly [tag: string, hashes: readonly string[]])[];
  /** For each tag, the hashes of the live transactions that require it. Tags and hashes are sorted. */
  readonly dependents: readonly (readonly [tag: string, hashes: readonly string[]])[];
  /** For each sender except '', its number of transactions that are Pending, Propagated or Acknowledged. */
  readonly senders: readonly (readonly [sender: string, count: number])[];
  /** For each claim, the hashes under it. Ids and hashes are sorted. */
  readonly claims: readonly (readonly [claimId: string, hashes: readonly string[]])[];
  /** Hashes that have a gossip number, ordered by that number. It includes those that are not sent to peers. */
  readonly gossip: readonly string[];
  /** Tags that kept blocks satisfied, with the tick of the block. */
  readonly satisfied: readonly (readonly [tag: string, tick: number])[];
}

/** One transaction in a dump. */
export interface DumpedEntry extends CheckedVerdict, Omit<Entry, 'verdict' | 'notBefore' | 'parkedAt'> {
  readonly stage: string;
  /** The time until which it is held back, in milliseconds since 1970 (P20); `null` if it is not. */
  readonly notBefore: number | null;
  /** When it was parked after its admission, in milliseconds since 1970 (P22), else `null`. */
  readonly parkedAt: number | null;
  /** Its sort key if it is Pending, else `null`. */
  readonly place: {
    readonly ready: boolean;
    readonly effectivePriority: bigint;
    readonly tieBreakSeq: number;
    readonly depth: number;
  } | null;
}
