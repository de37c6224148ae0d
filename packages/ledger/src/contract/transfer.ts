import type { TransferOutcome } from './outcome.ts';

/** The kinds of records that move money. A sweep makes `expire`; callers make the others. */
export type TransferKind = 'transfer' | 'reserve' | 'post' | 'void' | 'expire';

/** The state of a transfer. A reservation is `pending` until it is `posted`, `voided` or `expired`; a `transfer` is `posted` at once. */
export type TransferState = 'pending' | 'posted' | 'voided' | 'expired' | 'refused';

export type Metadata = Readonly<Record<string, string>>;

/** One recorded call, created or refused. No field ever changes, except the `state` of a reservation. */
export interface Transfer {
  readonly id: string;
  readonly kind: TransferKind;
  readonly outcome: TransferOutcome;
  readonly state: TransferState;
  /** The wallet that pays. For a post, void or expire it is that of the reservation; `''` if there is none. */
  readonly source: string;
  readonly destination: string;
  /** The amount moved or reserved, in minor units; 0 for a void or expire. For a refusal, the amount of the call. */
  readonly amount: bigint;
  readonly currency: string;
  readonly description: string;
  readonly metadata: Metadata;
  /** The reservation that a post, void or expire resolves; otherwise `null`. */
  readonly pendingId: string | null;
  /** The reserved amount that this post, void or expire releases; otherwise 0. */
  readonly released: bigint;
  /** When a reservation may expire by the store's clock, in milliseconds since 1970; `null` for never. */
  readonly expiresAt: number | null;
  /** The owner that may end the reservation beside the payee (`ReserveOptions.arbiter`); otherwise `null`. */
  readonly arbiter: string | null;
  /** True if the payer may void the reservation before it expires. */
  readonly payerMayVoid: boolean;
  /** Its number among all records of the ledger. */
  readonly seq: number;
  /** The time of the record by the store's clock, in milliseconds since 1970. It is never before that of an earlier record. */
  readonly at: number;
  /** The digest that chains this record to the previous one (see `recordDigest`): 40 hexadecimal digits. */
  readonly digest: string;
}
