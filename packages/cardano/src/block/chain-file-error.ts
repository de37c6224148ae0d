import { type BlockPlace, describePlace } from './block-error.ts';

export interface ChainFileFault {
  readonly offset?: number;
  readonly place?: BlockPlace | null;
  readonly cause?: unknown;
}

/** A chunk file that cannot be read. The message is one line for an operator: it names the file and the place in it. */
export class ChainFileError extends Error {
  override readonly name = 'ChainFileError';
  readonly path: string;
  /** Bytes from the start of the file; `null` where no byte of it is at fault: it is missing, empty, or a directory. */
  readonly offset: number | null;
  /** The block at fault; `null` where its number and slot could not be read. */
  readonly place: BlockPlace | null;

  constructor(path: string, message: string, fault: ChainFileFault = {}) {
    const { offset = null, place = null, cause } = fault;
    const parts = [offset === null ? path : `${path}, byte ${offset}`, message];
    if (place !== null) parts.splice(1, 0, describePlace(place));
    super(parts.join(': '), cause === undefined ? undefined : { cause });
    this.path = path;
    this.offset = offset;
    // A copy: a whole block, payloads and all, must not hang on an error that may be printed.
    this.place = place && { number: place.number, slot: place.slot };
  }
}
