/** A block that is well-formed CBOR or not, but cannot be read as a block. `offset` counts from the block's first byte. */
export class BlockError extends Error {
  override readonly name = 'BlockError';
  readonly offset: number;
  /** The block's number and slot, where they could be read before the fault. */
  readonly place: BlockPlace | null;

  constructor(offset: number, message: string, place: BlockPlace | null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.offset = offset;
    this.place = place;
  }
}

export interface BlockPlace {
  readonly number: number;
  readonly slot: number;
}

export function describePlace(place: BlockPlace): string {
  return `block ${place.number} at slot ${place.slot}`;
}
