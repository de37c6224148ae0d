import type { SettleOutcome } from '../contract/store.ts';
import type { Metadata, Transfer } from '../contract/transfer.ts';

export interface CreateWalletOptions {
  /** The id of the wallet, 1 to 64 characters, chosen by the caller. */
  readonly id: string;
  /** Whose wallet it is: an id of the application. */
  readonly owner: string;
  /** At most 32 tags of at most 256 characters each. */
  readonly tags?: readonly string[] | undefined;
  /** The currency of all its money. */
  readonly currency: string;
  /** True if the balance may be negative, only for wallets of the system. Default false. */
  readonly overdraft?: boolean | undefined;
  /** The public key that must sign transfers from the wallet, as `secp256k1:<hex of 33 bytes>` or `ed25519:<hex of 32 bytes>`. */
  readonly signer?: string | null | undefined;
}

interface CallOptions {
  /**
   * An idempotency key chosen by the caller, 1 to 128 characters. A UUIDv7 is recommended, and required if the ledger has a retention.
   * A call with the same id and content has no further effect and returns the first answer, even a refusal.
   */
  readonly id: string;
  readonly description?: string | undefined;
  /** Metadata of the caller, at most 4 KB as JSON. */
  readonly metadata?: Metadata | undefined;
}

interface Move {
  readonly source: string;
  readonly destination: string;
  /** The amount in minor units, 1 to 2^63 − 1. */
  readonly amount: bigint;
  /** The currency of both wallets. */
  readonly currency: string;
  /** The signature of `signedText` by the key of the source's `signer`. Required only if the source has a `signer`. */
  readonly signature?: Signature | undefined;
}

/** A signature with its public key, as in `CreateWalletOptions.signer`. */
export interface Signature {
  readonly signer: string;
  /** The signature's 64 bytes as 128 hexadecimal digits. */
  readonly bytes: string;
}

export interface MoveOptions extends CallOptions, Move {}

export interface ReserveOptions extends MoveOptions {
  /**
   * An owner who may post and void the reservation beside the payee, such as a marketplace. Default none. The ledger stores it, and its
   * HTTP server keeps to it. Within a program, anybody with the `Ledger` may post and void.
   */
  readonly arbiter?: string | undefined;
  /** True if the payer may void the reservation before it expires. Default false: then the payee can rely on it. */
  readonly payerMayVoid?: boolean | undefined;
  /** Milliseconds after which a sweep may expire the reservation. Default `never`. */
  readonly timeoutMs?: number | 'never' | undefined;
}

export interface PostOptions extends CallOptions {
  /** The id of the reservation. */
  readonly pendingId: string;
  /** The amount to move of the reservation; the rest is released. Default: all. */
  readonly amount?: bigint | undefined;
}

export interface VoidOptions extends CallOptions {
  /** The id of the reservation. */
  readonly pendingId: string;
}

/** One call of a batch. */
export type TransferCall =
  | (MoveOptions & { readonly kind: 'transfer' })
  | (ReserveOptions & { readonly kind: 'reserve' })
  | (PostOptions & { readonly kind: 'post' })
  | (VoidOptions & { readonly kind: 'void' });

export interface WalletSearch {
  readonly owner?: string | undefined;
  /** The tags to find. They must match exactly, including case. */
  readonly tags?: readonly string[] | undefined;
  /** With `all`, the default, a wallet must have all of the tags; with `any`, at least one. */
  readonly match?: 'all' | 'any' | undefined;
  /**
   * Words that must each begin a word of the id, the owner or a tag, in any case. The ledger has no index of words: it reads the wallets
   * that the other fields select.
   */
  readonly words?: string | undefined;
  /** `next` of the previous page. */
  readonly after?: number | undefined;
  /** The maximum number of items, 1 to 1,000; default 100. */
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

/** The answer to a settlement. Unless the outcome is `settled`, nothing was changed, and there are no transfers. */
export interface Settled {
  readonly outcome: SettleOutcome;
  readonly transfers: readonly Transfer[];
}
