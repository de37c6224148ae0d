import type { TransferOutcome } from './outcome.ts';

/** `expire` is made by a sweep; the others by callers. */
export type TransferKind = 'transfer' | 'reserve' | 'post' | 'void' | 'expire';

/** What became of the money. A reservation is `pending` until it is `posted`, `voided` or `expired`; a `transfer` is `posted` at once. */
export type TransferState = 'pending' | 'posted' | 'voided' | 'expired' | 'refused';

export type Metadata = Readonly<Record<string, string>>;

/** One recorded call, created or refused. All fields but `state` of a reservation never change. */
export interface Transfer {
  readonly id: string;
  readonly kind: TransferKind;
  readonly outcome: TransferOutcome;
  readonly state: TransferState;
  /** The wallets; of a post, void or expire those of its reservation, `''` if there is none. */
  readonly source: string;
  readonly destination: string;
  /** Moved or reserved, in minor units; for a void or expire 0. Of a refusal, what was asked for. */
  readonly amount: bigint;
  readonly currency: string;
  readonly description: string;
  readonly metadata: Metadata;
  /** The reservation that a post, void or expire resolves; otherwise `null`. */
  readonly pendingId: string | null;
  /** What the reservation held that this post, void or expire resolves; otherwise 0. */
  readonly released: bigint;
  /** For a reservation, when it may expire by the store's clock, in milliseconds since 1970; `null`: never. */
  readonly expiresAt: number | null;
  /** Its number among all records of the ledger. */
  readonly seq: number;
  /** By the store's clock, in milliseconds since 1970. Never before that of an earlier record. */
  readonly at: number;
  /** Chains this record to the one before (see `recordDigest`). 40 hexadecimal digits. */
  readonly digest: string;
}
