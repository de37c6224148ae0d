import type { Limits, Ordering } from './limits.ts';
import type { Entry } from './pool-entry.ts';
import type { PoolPart } from './transfer.ts';
import type { CheckedVerdict } from './verdict.ts';

/**
 * The whole state of a pool in canonical form, for tests: equal states have deeply equal dumps. It has no events and no
 * operation ids. It is plain data that `structuredClone` copies.
 */
export interface PoolDump extends IndexDump {
  readonly ordering: Ordering;
  readonly content: readonly PoolPart[];
}

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
