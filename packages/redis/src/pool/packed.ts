/** An item of a packed list. Strings are packed as text. */
export type Item = string | number | Buffer;

const headBytes = 5;
/** The bytes of an array without lists. */
export const emptyBytes: number = headBytes;
/** From this length on, the head of a string has five bytes, else one. */
const longLength = 32;
/** A safe integer in two parts that fit into 32 bits. */
const lowDigits = 8;
const lowUnit = 10 ** lowDigits;
const zero = 48;

/** Packs lists as one MessagePack array, which Lua scripts unpack at little cost. */
export function packLists(lists: readonly (readonly Item[])[]): Buffer {
  const packed = new PackedLists();
  for (const list of lists) {
    packed.open();
    for (const item of list) packed.add(item);
    packed.close();
  }
  return packed.take();
}

/** Writes lists as one MessagePack array into a buffer that grows. */
export class PackedLists {
  #bytes: Buffer;
  #end = headBytes;
  #lists = 0;
  #listAt = 0;
  #items = 0;

  constructor(bytes = 256) {
    this.#bytes = Buffer.allocUnsafe(bytes);
  }

  /** The bytes written until now. */
  get length(): number {
    return this.#end;
  }

  /** Begins a list, to which the next items belong. */
  open(): void {
    this.#lists += 1;
    this.#room(headBytes);
    this.#listAt = this.#end;
    this.#end += headBytes;
    this.#items = 0;
  }

  /** Ends the list. */
  close(): void {
    this.#head(0xdd, this.#items, this.#listAt);
  }

  add(item: Item): void {
    if (typeof item === 'number') this.#number(item);
    else if (typeof item === 'string') this.#text(item);
    else this.#buffer(item);
  }

  /** Adds the bytes of a hex hash. */
  hash(hash: string): void {
    const length = hash.length / 2;
    this.#room(headBytes + length);
    const from = this.#end + (length >= longLength ? headBytes : 1);
    const isHex = this.#bytes.write(hash, from, 'hex') === length;
    // A damaged log entry has a name of another form.
    if (!isHex) {
      this.add(Buffer.from(hash, 'hex'));
      return;
    }
    this.#begin(length);
    this.#end += length;
  }

  /** Adds a safe integer of at least 0 as text. The engine's conversion of large ones is slow, as are divisions beyond 32 bits. */
  digits(value: number): void {
    const high = Math.floor(value / lowUnit);
    const low = value - high * lowUnit;
    const [first, rest] = high === 0 ? [low, 0] : [high, lowDigits];
    const length = digitCount(first);
    this.#begin(length + rest);
    this.#decimal(first, length);
    if (rest > 0) this.#decimal(low, rest);
  }

  /** Returns all lists. Those that are written after that belong to another array. */
  take(): Buffer {
    this.#head(0xdd, this.#lists, 0);
    const packed = this.#bytes.subarray(0, this.#end);
    this.#bytes = Buffer.allocUnsafe(headBytes);
    [this.#end, this.#lists] = [headBytes, 0];
    return packed;
  }

  #decimal(value: number, length: number): void {
    let left = value;
    for (let at = this.#end + length - 1; at >= this.#end; at--) {
      this.#bytes[at] = zero + (left % 10);
      left = (left / 10) | 0;
    }
    this.#end += length;
  }

  #number(value: number): void {
    this.#items += 1;
    this.#room(headBytes);
    this.#end = this.#head(0xce, value, this.#end);
  }

  #text(value: string): void {
    const length = Buffer.byteLength(value);
    this.#begin(length);
    this.#end += this.#bytes.write(value, this.#end);
  }

  #buffer(item: Buffer): void {
    this.#begin(item.length);
    this.#bytes.set(item, this.#end);
    this.#end += item.length;
  }

  /** Begins an item of so many bytes. */
  #begin(length: number): void {
    this.#items += 1;
    this.#room(headBytes + length);
    if (length >= longLength) this.#end = this.#head(0xdb, length, this.#end);
    else this.#bytes[this.#end++] = 0xa0 | length;
  }

  #head(kind: number, value: number, at: number): number {
    this.#bytes[at] = kind;
    return this.#bytes.writeUInt32BE(value, at + 1);
  }

  #room(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#end + more));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

function digitCount(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) count += 1;
  return count;
}
