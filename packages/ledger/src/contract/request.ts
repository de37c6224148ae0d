/** A checked call to move money, as a store receives it. */
export type TransferRequest = MoveRequest | ResolveRequest;

interface Identified {
  /** The call as canonical text (`contentText`). A call repeats another one if both have the same id and content. */
  readonly content: string;
  /** The time in a UUIDv7, in milliseconds since 1970; `null` for another id, of a series or of a post or void. */
  readonly issuedAt: number | null;
}

export interface MoveRequest extends Identified {
  readonly kind: 'transfer' | 'reserve';
  /** The id. With `isSeries` it is the name of a series, to which the store appends `:<n>` (see `ReserveOptions.series`). */
  readonly id: string;
  readonly isSeries: boolean;
  /** With `isSeries`: if the series has a number after this one, the answer is the record of the next (see `ReserveOptions.after`). */
  readonly after: number | null;
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Milliseconds after which a reservation may expire; `null` for never. */
  readonly timeoutMs: number | null;
  /** The key whose signature was verified; `null` if none was given. */
  readonly signedBy: string | null;
}

export interface ResolveRequest extends Identified {
  readonly kind: 'post' | 'void';
  readonly id: string;
  readonly pendingId: string;
  /** The amount that a post moves of the reservation; `null` for all, and for a void. */
  readonly amount: bigint | null;
}
