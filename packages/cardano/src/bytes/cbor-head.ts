import { CborError } from './cbor-error.ts';

export const majors = {
  unsigned: 0,
  negative: 1,
  bytes: 2,
  text: 3,
  array: 4,
  map: 5,
  tag: 6,
  simple: 7,
} as const;

/** The first bytes of an item: its type, and its length, count or value. */
export interface CborHead {
  readonly major: number;
  /** Rounded above 2^53: compare it with `Number.isSafeInteger` before trusting it. 0 where `indefinite`. */
  readonly argument: number;
  /** For `simple` it means the break that ends an indefinite item. */
  readonly indefinite: boolean;
  /** Where the head ends. */
  readonly end: number;
}

/**
 * Reads the head at `offset`. A break is handed out like any other head: only the caller knows whether it may stand there.
 * @throws CborError `truncated`, `reserved`, `bad-simple`
 */
export function readHead(bytes: Uint8Array, offset: number): CborHead {
  const initial = bytes[offset];
  if (initial === undefined) throw new CborError('truncated', offset, 'the bytes end before an item');
  const major = initial >> 5;
  const info = initial & 0x1f;
  if (info < 24) return { major, argument: info, indefinite: false, end: offset + 1 };
  if (info === 31) return indefiniteHead(major, offset);
  if (info > 27) throw new CborError('reserved', offset, `reserved additional information ${info}`);
  const size = 1 << (info - 24);
  const argument = readArgument(bytes, offset, size);
  if (major === majors.simple && size === 1 && argument < 32) {
    throw new CborError('bad-simple', offset, `simple value ${argument} in two bytes`);
  }
  return { major, argument, indefinite: false, end: offset + 1 + size };
}

function indefiniteHead(major: number, offset: number): CborHead {
  if (major === majors.unsigned || major === majors.negative || major === majors.tag) {
    throw new CborError('reserved', offset, 'an integer or tag without a length');
  }
  return { major, argument: 0, indefinite: true, end: offset + 1 };
}

function readArgument(bytes: Uint8Array, offset: number, size: number): number {
  const end = offset + 1 + size;
  if (end > bytes.length) throw new CborError('truncated', offset, 'the bytes end inside a head');
  let argument = 0;
  for (let at = offset + 1; at < end; at += 1) argument = argument * 256 + (bytes[at] ?? 0);
  return argument;
}
