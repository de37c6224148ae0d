/** A checked call to move money, as a store receives it. */
export type TransferRequest = MoveRequest | ResolveRequest;

interface Identified {
  /** The call as canonical text (`contentText`). A call repeats another one if both have the same id and content. */
  readonly content: string;
  /** The time in a UUIDv7, in milliseconds since 1970; `null` for another id, or of a post or void. */
  readonly issuedAt: number | null;
}

export interface MoveRequest extends Identified {
  readonly kind: 'transfer' | 'reserve';
  readonly id: string;
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
