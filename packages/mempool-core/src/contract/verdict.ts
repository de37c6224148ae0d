/** What the application says of a transaction that it takes. What is left out is the default. */
export interface Verdict {
  /** A rate, such as fee per byte or gas: higher goes first. An int64; default 0n. */
  readonly priority?: bigint | undefined;
  /** Whose it is, up to 256 characters; default '', which no limit per sender counts. */
  readonly sender?: string | undefined;
  /** Transactions of this sender in the pool at the most, this one included; at least 1. */
  readonly senderLimit?: number | undefined;
  /** What it takes of a block's gas: a safe integer; default 0. */
  readonly gas?: number | undefined;
  /** What it alone may bring about: a nonce of an account, the outputs it spends or makes. At most 1,024 tags. */
  readonly provides?: readonly string[] | undefined;
  /** What must come before it: tags of others, or of the chain. At most 1,024 tags. */
  readonly requires?: readonly string[] | undefined;
  /** Milliseconds since 1970 by the pool's clock; it may wait until then, that moment included. */
  readonly expiresAt?: number | undefined;
  /** Height up to which it may wait, that height included. */
  readonly expiresAtHeight?: number | undefined;
  /** Whether `since` may hand it to peers; default true. */
  readonly propagate?: boolean | undefined;
}

/** A verdict with every field, checked, and the pool's own. */
export interface CheckedVerdict {
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
}

/** What the application says of a transaction that it does not take; the names are those of CheckTx. */
export interface Refusal {
  /** The application's own; not 0. */
  readonly code: number;
  readonly log: string;
  /** Whether the peer that sent it deserves a penalty. */
  readonly penalize: boolean;
  readonly data?: Uint8Array | undefined;
  readonly info?: string | undefined;
  readonly codespace?: string | undefined;
}

export const minPriority: bigint = -(2n ** 63n);
export const maxPriority: bigint = 2n ** 63n - 1n;
const none: readonly string[] = Object.freeze([]);

/** The verdict of who says nothing. */
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

/** A refusal has a code, a verdict has none. */
export function isRefusal(answer: Verdict | Refusal): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'code' in answer;
}
