/** The names by which an operator knows a block. */
export interface BlockPlace {
  readonly number: number;
  readonly slot: number;
}

/** Bytes that cannot be read as a block, whether they are whole CBOR or not. `offset` counts from the block's first byte. */
export class BlockError extends Error {
  override readonly name = 'BlockError';
  readonly offset: number;
  /** `null` where the fault comes before number and slot. */
  readonly place: BlockPlace | null;

  constructor(offset: number, message: string, place: BlockPlace | null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.offset = offset;
    // A copy: a whole block, payloads and all, must not hang on an error that may be printed.
    this.place = place && { number: place.number, slot: place.slot };
  }
}

export function describePlace(place: BlockPlace): string {
  return `block ${place.number} at slot ${place.slot}`;
}
