/** Writes CBOR for made-up blocks, in the forms found in real ones: also indefinite lengths and heads longer than needed. */

const majors = { unsigned: 0, bytes: 2, text: 3, array: 4, map: 5, tag: 6 } as const;

type Entry = readonly [key: Uint8Array, value: Uint8Array];

const breakByte = Uint8Array.of(0xff);

export const nullItem: Uint8Array = Uint8Array.of(0xf6);

export function unsigned(value: number): Uint8Array {
  return head(majors.unsigned, value);
}

/** An unsigned integer in nine bytes, whatever its value. */
export function wideUnsigned(value: number): Uint8Array {
  const item = Buffer.alloc(9);
  item[0] = (majors.unsigned << 5) | 27;
  item.writeBigUInt64BE(BigInt(value), 1);
  return item;
}

export function byteString(value: Uint8Array): Uint8Array {
  return Buffer.concat([head(majors.bytes, value.length), value]);
}

/** A byte string of indefinite length, in chunks of at most `chunkBytes`. */
export function chunkedByteString(value: Uint8Array, chunkBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < value.length; at += chunkBytes) {
    chunks.push(byteString(value.subarray(at, at + chunkBytes)));
  }
  return indefinite(majors.bytes, chunks);
}

export function text(value: string): Uint8Array {
  const encoded = Buffer.from(value);
  return Buffer.concat([head(majors.text, encoded.length), encoded]);
}

export function chunkedText(values: readonly string[]): Uint8Array {
  return indefinite(majors.text, values.map(text));
}

export function array(items: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([head(majors.array, items.length), ...items]);
}

export function indefiniteArray(items: readonly Uint8Array[]): Uint8Array {
  return indefinite(majors.array, items);
}

export function map(entries: readonly Entry[]): Uint8Array {
  return Buffer.concat([head(majors.map, entries.length), ...entries.flat()]);
}

export function indefiniteMap(entries: readonly Entry[]): Uint8Array {
  return indefinite(majors.map, entries.flat());
}

export function tagged(tag: number, item: Uint8Array): Uint8Array {
  return Buffer.concat([head(majors.tag, tag), item]);
}

function indefinite(major: number, items: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Uint8Array.of((major << 5) | 31), ...items, breakByte]);
}

function head(major: number, argument: number): Uint8Array {
  if (argument < 24) return Uint8Array.of((major << 5) | argument);
  const size = argument < 2 ** 8 ? 1 : argument < 2 ** 16 ? 2 : argument < 2 ** 32 ? 4 : 8;
  const item = Buffer.alloc(1 + size);
  item[0] = (major << 5) | (24 + Math.log2(size));
  let rest = argument;
  for (let at = size; at > 0; at -= 1) {
    item[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return item;
}
