import { CborError } from './cbor-error.ts';
import { majors, readHead } from './cbor-head.ts';

const bytesInFullHead = 9;

/** The unsigned integer at `offset`, up to 2^64 − 1. @throws CborError `kind` when it is none. */
export function readBigUnsigned(bytes: Uint8Array, offset: number): bigint {
  const { major, argument, end } = readHead(bytes, offset);
  if (major !== majors.unsigned) throw new CborError('kind', offset, 'expected an unsigned integer');
  return exact(bytes, offset, argument, end);
}

/** The integer at `offset`, from −2^64 to 2^64 − 1. @throws CborError `kind` when it is none. */
export function readBigInteger(bytes: Uint8Array, offset: number): bigint {
  const { major, argument, end } = readHead(bytes, offset);
  if (major === majors.unsigned) return exact(bytes, offset, argument, end);
  if (major === majors.negative) return -1n - exact(bytes, offset, argument, end);
  throw new CborError('kind', offset, 'expected an integer');
}

/** The head's own argument is rounded above 2^53. */
function exact(bytes: Uint8Array, offset: number, argument: number, end: number): bigint {
  if (end - offset < bytesInFullHead) return BigInt(argument);
  return new DataView(bytes.buffer, bytes.byteOffset + offset + 1).getBigUint64(0);
}
