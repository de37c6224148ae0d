/** The result of the application's validation of a valid transaction. Every field has a default. */
export interface Verdict {
  /** A rate, such as fee per byte or per gas. A higher priority sorts first. A signed 64-bit integer; default 0n. */
  readonly priority?: bigint | undefined;
  /**
   * The most that it pays, in place of `priority` and only beside `tip`: its priority is the floor (`minPriority`) plus the
   * tip, but not more than this (P29). A signed 64-bit integer.
   */
  readonly maxPriority?: bigint | undefined;
  /** What it pays above the floor, beside `maxPriority`. From 0 to 2^63 − 1. */
  readonly tip?: bigint | undefined;
  /** The sender, up to 256 characters. Default '', which means no sender, so no limit per sender applies. */
  readonly sender?: string | undefined;
  /** The most transactions of this sender in the pool, including this one; at least 1. Default `null`, which means no limit. */
  readonly senderLimit?: number | null | undefined;
  /** The gas that it uses of a block: a safe integer; default 0. */
  readonly gas?: number | undefined;
  /** Tags that only one transaction can provide, such as an account's nonce or the outputs it spends. At most 1,024. */
  readonly provides?: readonly string[] | undefined;
  /** Tags that must be provided before it, by another transaction or by the chain. At most 1,024. */
  readonly requires?: readonly string[] | undefined;
  /** The last millisecond at which it is valid, since 1970 by the pool's clock. Default `null`, which means no end. */
  readonly expiresAt?: number | null | undefined;
  /** The height of the last block that may contain it. Heights count blocks, not slots (P9). Default `null`: no end. */
  readonly expiresAtHeight?: number | null | undefined;
  /** If false, it is not sent to peers, so `since` does not return it. Default true. */
  readonly propagate?: boolean | undefined;
  /**
   * True for the operator's own: it is never evicted and needs no room per sender or among the parked ones (P28). The
   * limit `maxProtected` bounds how many there are. Default false.
   */
  readonly protected?: boolean | undefined;
}

/** A verdict after the checks. Every field is set, and no object is shared with the caller. */
export interface CheckedVerdict {
  /** With a tip, the most that it pays. */
  readonly priority: bigint;
  readonly sender: string;
  readonly senderLimit: number | null;
  readonly gas: number;
  /** Without repeats, in the order given. */
  readonly provides: readonly string[];
  readonly requires: readonly string[];
  readonly expiresAt: number | null;
  readonly expiresAtHeight: number | null;
  readonly propagate: boolean;
  /** Left out unless it is true: a pool has many verdicts, and few of them are protected. */
  readonly protected?: true;
  /** Left out unless it has one (P29). */
  readonly tip?: bigint;
}

/** The result of the application's validation of a transaction that it refuses. The fields are those of ABCI's `CheckTx`. */
export interface Refusal {
  /** The application's own code; not 0. */
  readonly code: number;
  readonly log: string;
  /** True if the peer that sent the transaction deserves a penalty. */
  readonly penalize: boolean;
  readonly data?: Uint8Array | undefined;
  readonly info?: string | undefined;
  readonly codespace?: string | undefined;
}

/** The lowest priority: −2^63. */
export const minPriority: bigint = -(2n ** 63n);
/** The highest priority: 2^63 − 1. */
export const maxPriority: bigint = 2n ** 63n - 1n;
const none: readonly string[] = Object.freeze([]);

/** The verdict of a transaction that is submitted without one. */
export const defaultVerdict: CheckedVerdict = Object.freeze({
  priority: 0n,
  sender: '',
  senderLimit: null,
  gas: 0,
  provides: none,
  requires: none,
  expiresAt: null,
  expiresAtHeight: null,
  propagate: true,
});

/** The names of all fields of a verdict. */
export const verdictFields: ReadonlySet<string> = new Set([
  ...Object.keys(defaultVerdict),
  ...['maxPriority', 'tip', 'protected'],
]);

/** P29: its own priority while the floor is this one. */
export function priorityAt({ priority, tip }: Pick<CheckedVerdict, 'priority' | 'tip'>, floor: bigint): bigint {
  if (tip === undefined) return priority;
  const sum = floor + tip;
  return sum < priority ? sum : priority;
}

/** True if the answer is a refusal: only a refusal has a `code`. */
export function isRefusal(answer: Verdict | Refusal): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'code' in answer;
}
