/**
 * Finds where CBOR items begin and end (RFC 8949) without decoding them. A hash is taken over bytes exactly as they stand, so
 * they are cut out and never written again: what a decoder and an encoder make of them may differ in lengths and order.
 * Text is not checked for UTF-8 and map keys not for repeats: both are valid as bytes.
 */
import { CborError } from './cbor-error.ts';
import { type CborHead, majors, readHead } from './cbor-head.ts';

/** Deeper items are refused: each level takes memory. A transaction of 16 KiB, Cardano's largest, cannot reach it. */
export const maxDepth = 65_536;

/** One item, cut out. `bytes` is a view: it lives and changes with the bytes it was cut from. */
export interface CborItem {
  /** Offsets in the bytes handed in. */
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

/** An open array, map or tag. `left` counts down the items still to come, and up from 0 where `indefinite`. */
interface OpenItem {
  readonly start: number;
  readonly isMap: boolean;
  readonly indefinite: boolean;
  left: number;
}

/**
 * The offset just behind the item at `offset`. Depth costs memory only, never call stack, and no more than `maxDepth` of it.
 * @throws CborError with the offset of the head at fault; `truncated` when more bytes might make it whole.
 */
export function itemEnd(bytes: Uint8Array, offset: number): number {
  const open: OpenItem[] = [];
  let at = offset;
  do {
    const head = readHead(bytes, at);
    if (isBreak(head)) {
      closeIndefinite(open.pop(), at);
      at = head.end;
    } else {
      countItem(open);
      at = stepInto(bytes, at, head, open);
    }
    closeFull(open);
  } while (open.length > 0);
  return at;
}

/** The item at `offset`, as a view. @throws CborError as `itemEnd` does. */
export function cutItem(bytes: Uint8Array, offset: number): CborItem {
  const end = itemEnd(bytes, offset);
  return { start: offset, end, bytes: bytes.subarray(offset, end) };
}

/** The items of the array at `offset`, one by one. @throws CborError `kind` when it is no array. */
export function arrayItems(bytes: Uint8Array, offset: number): Generator<CborItem, void> {
  const head = expectMajor(bytes, offset, majors.array, 'an array');
  return childItems(bytes, head, expectLength(head.argument, offset));
}

/** The items of an array that may have `most`. @throws CborError `too-many` at the first one more, `kind` when it is no array. */
export function fewItems(bytes: Uint8Array, offset: number, most: number): readonly CborItem[] {
  const items: CborItem[] = [];
  for (const item of arrayItems(bytes, offset)) {
    if (items.length === most) throw new CborError('too-many', item.start, `more than ${most} items in an array`);
    items.push(item);
  }
  return items;
}

/** Key and value in turn of the map at `offset`. @throws CborError `kind` when it is no map. */
export function* mapEntries(bytes: Uint8Array, offset: number): Generator<readonly [CborItem, CborItem], void> {
  const head = expectMajor(bytes, offset, majors.map, 'a map');
  let key: CborItem | null = null;
  for (const item of childItems(bytes, head, expectLength(2 * head.argument, offset))) {
    if (key === null) {
      key = item;
      continue;
    }
    yield [key, item];
    key = null;
  }
  if (key !== null) throw new CborError('odd-map', offset, 'a map with a key but no value');
}

/** The unsigned integer at `offset`. @throws CborError `kind` when it is none, or above 2^53 − 1. */
export function readUnsigned(bytes: Uint8Array, offset: number): number {
  const { argument } = expectMajor(bytes, offset, majors.unsigned, 'an unsigned integer');
  if (Number.isSafeInteger(argument)) return argument;
  throw new CborError('kind', offset, 'expected an integer below 2^53');
}

/** The content of the byte string at `offset`, as a view. @throws CborError `kind` when it is none, or in chunks. */
export function readBytes(bytes: Uint8Array, offset: number): Uint8Array {
  const head = expectMajor(bytes, offset, majors.bytes, 'a byte string');
  if (head.indefinite) throw new CborError('kind', offset, 'expected a byte string in one piece');
  return bytes.subarray(head.end, skipString(bytes, offset, head));
}

/** Whether the item at `offset` is `null`. */
export function isNull(bytes: Uint8Array, offset: number): boolean {
  return bytes[offset] === 0xf6;
}

function isBreak(head: CborHead): boolean {
  return head.major === majors.simple && head.indefinite;
}

function closeIndefinite(item: OpenItem | undefined, at: number): void {
  if (!item?.indefinite) throw new CborError('stray-break', at, 'a break outside of an indefinite item');
  if (!item.isMap || item.left % 2 === 0) return;
  throw new CborError('odd-map', item.start, 'a map with a key but no value');
}

function countItem(open: readonly OpenItem[]): void {
  const parent = open.at(-1);
  if (parent !== undefined) parent.left += parent.indefinite ? 1 : -1;
}

function closeFull(open: OpenItem[]): void {
  let last = open.at(-1);
  while (last !== undefined && !last.indefinite && last.left === 0) {
    open.pop();
    last = open.at(-1);
  }
}

/** Steps over a scalar or a string, or opens a container; answers where the next head is. */
function stepInto(bytes: Uint8Array, at: number, head: CborHead, open: OpenItem[]): number {
  if (head.major === majors.bytes || head.major === majors.text) return skipString(bytes, at, head);
  const left = itemsInside(head);
  if (left === null) return head.end;
  // Checked here, not at the end of the bytes: a count of 2^60 is refused before it is walked.
  if (left > bytes.length - head.end) fewerBytes(left, at, 'items');
  if (open.length === maxDepth) throw new CborError('too-deep', at, `items more than ${maxDepth} levels deep`);
  open.push({ start: at, isMap: head.major === majors.map, indefinite: head.indefinite, left });
  return head.end;
}

function itemsInside(head: CborHead): number | null {
  if (head.major === majors.array) return head.argument;
  if (head.major === majors.map) return 2 * head.argument;
  return head.major === majors.tag ? 1 : null;
}

function skipString(bytes: Uint8Array, at: number, head: CborHead): number {
  if (head.indefinite) return skipChunks(bytes, head);
  if (head.argument > bytes.length - head.end) fewerBytes(head.argument, at, 'bytes');
  return head.end + head.argument;
}

function skipChunks(bytes: Uint8Array, string: CborHead): number {
  let at = string.end;
  for (;;) {
    const chunk = readHead(bytes, at);
    if (isBreak(chunk)) return chunk.end;
    if (chunk.major !== string.major || chunk.indefinite) {
      throw new CborError('bad-chunk', at, 'a chunk that is not a plain string of its kind');
    }
    at = skipString(bytes, at, chunk);
  }
}

function fewerBytes(length: number, at: number, unit: string): never {
  expectLength(length, at);
  throw new CborError('truncated', at, `the bytes end inside an item of ${length} ${unit}`);
}

function expectLength(length: number, at: number): number {
  if (Number.isSafeInteger(length)) return length;
  throw new CborError('too-long', at, 'a length above 2^53');
}

function* childItems(bytes: Uint8Array, parent: CborHead, count: number): Generator<CborItem, void> {
  let at = parent.end;
  for (let index = 0; parent.indefinite || index < count; index += 1) {
    if (parent.indefinite && isBreak(readHead(bytes, at))) return;
    const item = cutItem(bytes, at);
    yield item;
    at = item.end;
  }
}

function expectMajor(bytes: Uint8Array, offset: number, major: number, what: string): CborHead {
  const head = readHead(bytes, offset);
  if (head.major === major) return head;
  throw new CborError('kind', offset, `expected ${what}`);
}
