/**
 * The fault of the bytes. `truncated` alone can be cured by more bytes; every other reason is final.
 * `kind` is an item that is well-formed but not of the kind that was asked for.
 */
export type CborFault =
  | 'truncated'
  | 'too-long'
  | 'too-deep'
  | 'too-many'
  | 'reserved'
  | 'stray-break'
  | 'odd-map'
  | 'bad-chunk'
  | 'bad-simple'
  | 'kind';

/** CBOR that cannot be walked. `offset` is the place in the bytes handed in, of the item's head that is at fault. */
export class CborError extends Error {
  override readonly name = 'CborError';
  readonly fault: CborFault;
  readonly offset: number;
  /** The message without the place, for a caller that knows the place better. */
  readonly reason: string;

  constructor(fault: CborFault, offset: number, reason: string) {
    super(`${reason} (byte ${offset})`);
    this.fault = fault;
    this.offset = offset;
    this.reason = reason;
  }
}
