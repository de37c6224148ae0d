/** Forms that stand at many places of a transaction. All functions throw `CborError` or `TransactionError`. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { majors, readHead } from '../bytes/cbor-head.ts';
import { arrayItems, type CborItem, cutItem, readBytes } from '../bytes/cbor-walker.ts';
import { refuse } from './transaction-error.ts';

const tags = { cbor: 24, set: 258 } as const;

/** The items of an array, or of a set. From Conway on a set may be marked as one, by tag 258. */
export function listItems(bytes: Uint8Array, offset: number): Iterable<CborItem> {
  const head = readHead(bytes, offset);
  const isMarked = head.major === majors.tag && head.argument === tags.set;
  return arrayItems(bytes, isMarked ? head.end : offset);
}

/** An array of exactly two items. */
export function pairAt(bytes: Uint8Array, offset: number, what: string): readonly [CborItem, CborItem] {
  const [first, second, third] = arrayItems(bytes, offset);
  return first && second && !third ? [first, second] : refuse(offset, `expected ${what}`);
}

/** A byte string as hex. `length`: the one that it must have. */
export function hexAt(bytes: Uint8Array, offset: number, length: number | null): string {
  const content = readBytes(bytes, offset);
  if (length !== null && content.length !== length) refuse(offset, `expected ${length} bytes`);
  return bytesToHex(content);
}

/** The content of a byte string that is marked as CBOR (tag 24), as a view. Not checked. */
export function embeddedBytes(bytes: Uint8Array, offset: number): Uint8Array {
  const head = readHead(bytes, offset);
  if (head.major !== majors.tag || head.argument !== tags.cbor) refuse(offset, 'expected CBOR in a byte string');
  return readBytes(bytes, head.end);
}

/** The item in a byte string that is marked as CBOR. Its offsets are those of `bytes`. */
export function embeddedItem(bytes: Uint8Array, offset: number): CborItem {
  const content = embeddedBytes(bytes, offset);
  const start = content.byteOffset - bytes.byteOffset;
  const item = cutItem(bytes, start);
  return item.bytes.length === content.length ? item : refuse(start, 'expected one item in a byte string');
}
