import type { Metadata, Transfer } from '../contract/transfer.ts';

export interface CreateWalletOptions {
  /** 1 to 64 characters, chosen by the caller. */
  readonly id: string;
  readonly owner: string;
  /** At most 32 of at most 256 characters. */
  readonly tags?: readonly string[] | undefined;
  readonly currency: string;
  /** Whether more may go out than came in; only for wallets of the system. Default: no. */
  readonly overdraft?: boolean | undefined;
  /** A public key as `secp256k1:<hex of 33 bytes>` or `ed25519:<hex of 32 bytes>`: what leaves the wallet has to be signed by it. */
  readonly signer?: string | null | undefined;
}

interface CallOptions {
  /**
   * Chosen by the caller, 1 to 128 characters; a UUIDv7 is recommended, and required if the ledger has a retention. The same id with
   * the same content has its effect once and gets the same answer for ever, a refusal too.
   */
  readonly id: string;
  readonly description?: string | undefined;
  /** At most 4 KB of JSON. */
  readonly metadata?: Metadata | undefined;
}

interface Move {
  readonly source: string;
  readonly destination: string;
  /** Whole minor units, 1 to 2^63 − 1. */
  readonly amount: bigint;
  /** That of both wallets. */
  readonly currency: string;
  /** By the key of the source's `signer`, over `signedText`: hexadecimal. Needed only if the wallet has one. */
  readonly signature?: Signature | undefined;
}

/** A signature with its public key, as in `CreateWalletOptions.signer`. */
export interface Signature {
  readonly signer: string;
  /** 64 bytes as 128 hexadecimal digits. */
  readonly bytes: string;
}

export interface MoveOptions extends CallOptions, Move {}

export interface ReserveOptions extends Omit<CallOptions, 'id'>, Move {
  readonly id?: string | undefined;
  /**
   * Instead of an id: the ledger names the reservation `~<series>:<n>`. While one of the series is pending, it is the answer,
   * whatever the rest of the call says; after it was resolved or refused, a call makes the next. At most 108 characters.
   */
  readonly series?: string | undefined;
  /**
   * With a series: the number of the last reservation that the caller knows of, from `seriesEnd`. If the series has gone on
   * since, the answer is the record of the number after it, refused or resolved as it may be: so of several callers that saw the same end,
   * one makes the next.
   */
  readonly after?: number | undefined;
  /** After how many milliseconds a sweep may expire it. Default `never`. */
  readonly timeoutMs?: number | 'never' | undefined;
}

export interface PostOptions extends CallOptions {
  readonly pendingId: string;
  /** How much of it; the rest is released. Default: all. */
  readonly amount?: bigint | undefined;
}

export interface VoidOptions extends CallOptions {
  readonly pendingId: string;
}

/** One call of a batch. */
export type TransferCall =
  | (MoveOptions & { readonly kind: 'transfer' })
  | (ReserveOptions & { readonly kind: 'reserve' })
  | (PostOptions & { readonly kind: 'post' })
  | (VoidOptions & { readonly kind: 'void' });

/** Where a series stands. */
export interface SeriesEnd {
  /** The number of its last reservation; 0 if there is none. */
  readonly number: number;
  /** That reservation; `null` if there is none, or if it was trimmed. */
  readonly last: Transfer | null;
}

export interface WalletSearch {
  readonly owner?: string | undefined;
  /** Exact, case as given. */
  readonly tags?: readonly string[] | undefined;
  /** Whether a wallet has to have `all` tags (default) or `any`. */
  readonly match?: 'all' | 'any' | undefined;
  /** `next` of the page before. */
  readonly after?: number | undefined;
  /** 1 to 1,000, default 100. */
  readonly limit?: number | undefined;
}

export interface TransferSearch {
  readonly wallet: string;
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** `after` of the next page; `null` if this one is the last. */
  readonly next: number | null;
}
