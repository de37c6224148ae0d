/** A checked call to move money, as a store gets it. */
export type TransferRequest = MoveRequest | ResolveRequest;

interface Identified {
  /** The call in canonical text (see `contentText`): two calls with one id are the same if these are equal. */
  readonly content: string;
  /** The time in a UUIDv7, in milliseconds since 1970; `null` where the ledger keeps everything. */
  readonly issuedAt: number | null;
}

export interface MoveRequest extends Identified {
  readonly kind: 'transfer' | 'reserve';
  /** With `isSeries`, the name of a series: the store appends `:<n>` (see `ReserveOptions.series`). */
  readonly id: string;
  readonly isSeries: boolean;
  /** With `isSeries`: if the series has gone past this number, its next record is the answer, whatever became of it (see `ReserveOptions.after`). */
  readonly after: number | null;
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Of a reservation: after how many milliseconds it may expire; `null`: never. */
  readonly timeoutMs: number | null;
  /** The key whose signature was verified; `null`: none was given. */
  readonly signedBy: string | null;
}

export interface ResolveRequest extends Identified {
  readonly kind: 'post' | 'void';
  readonly id: string;
  readonly pendingId: string;
  /** Of a post: how much of the reservation; `null`: all. Of a void `null`. */
  readonly amount: bigint | null;
}
