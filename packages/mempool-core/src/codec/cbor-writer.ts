import type { ChainPoint } from '../contract/transaction.ts';

/**
 * The initial bytes of CBOR types (RFC 8949). A small value or length is added to that byte; a larger one follows it.
 */
export const uint = 0x00;
export const negative = 0x20;
const byteString = 0x40;
const text = 0x60;
export const array = 0x80;
const nothing = 0xf6;
const no = 0xf4;
const yes = 0xf5;
const double = 0xfb;

/** The most bytes of a head, and of a number. */
export const headBytes = 9;

/**
 * Writes CBOR directly into one buffer. A general encoder would need an array and a copied hash for each row first. The bytes
 * are those that it would write.
 */
export class CborWriter {
  #bytes: Buffer;
  #end = 0;

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafe(bytes);
  }

  get encoded(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** How much is written. */
  get length(): number {
    return this.#end;
  }

  /** Makes sure that this many more bytes fit. The writing methods rely on it. */
  room(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#end + more));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }

  /** Writes a CBOR type with its value or length, in the fewest bytes. */
  head(type: number, value: number): void {
    const bytes = this.#bytes;
    if (value < 24) bytes[this.#end++] = type | value;
    else if (value <= 0xff) {
      bytes[this.#end++] = type | 24;
      bytes[this.#end++] = value;
    } else if (value <= 0xffff) {
      bytes[this.#end++] = type | 25;
      bytes[this.#end++] = value >>> 8;
      bytes[this.#end++] = value;
    } else if (value <= 0xffff_ffff) {
      bytes[this.#end++] = type | 26;
      this.#word(value);
    } else {
      bytes[this.#end++] = type | 27;
      this.#long(value);
    }
  }

  /** A slot in eight bytes, and the hash. */
  point({ slot, hash }: ChainPoint, length: number): void {
    this.head(byteString, length);
    this.#long(slot);
    this.#end += this.#bytes.write(hash, this.#end, 'hex');
  }

  /** Writes a number as the general encoder does: from 2^32 on as a double. */
  number(value: number): void {
    if (value >>> 0 === value) this.head(uint, value);
    else if (value < 0 && value >= -(2 ** 32)) this.head(negative, -1 - value);
    else {
      this.#bytes[this.#end++] = double;
      this.#end = this.#bytes.writeDoubleBE(value, this.#end);
    }
  }

  optional(value: number | null): void {
    if (value === null) this.nothing();
    else this.number(value);
  }

  nothing(): void {
    this.#bytes[this.#end++] = nothing;
  }

  flag(value: boolean): void {
    this.#bytes[this.#end++] = value ? yes : no;
  }

  hash(hash: string): void {
    const from = this.#end;
    const length = hash.length / 2;
    this.head(byteString, length);
    const written = this.#bytes.write(hash, this.#end, 'hex');
    this.#end += written;
    if (written === length) return;
    // The name of a damaged log entry is no hex.
    this.#end = from;
    this.byteString(Buffer.from(hash, 'hex'));
  }

  text(value: string): void {
    const { length } = value;
    if (length >= 24) {
      this.head(text, Buffer.byteLength(value));
      this.#end += this.#bytes.write(value, this.#end);
      return;
    }
    // A short text of ASCII costs less than a call of `write`.
    const from = this.#end + 1;
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) {
        this.head(text, Buffer.byteLength(value));
        this.#end += this.#bytes.write(value, this.#end);
        return;
      }
      this.#bytes[from + i] = code;
    }
    this.#bytes[this.#end] = text | length;
    this.#end = from + length;
  }

  byteString(value: Uint8Array): void {
    this.head(byteString, value.length);
    this.raw(value);
  }

  /** Adds encoded values. */
  raw(encoded: Uint8Array): void {
    this.#bytes.set(encoded, this.#end);
    this.#end += encoded.length;
  }

  /** Writes a safe integer in eight bytes. */
  #long(value: number): void {
    this.#word(Math.floor(value / 2 ** 32));
    this.#word(value % 2 ** 32);
  }

  #word(value: number): void {
    const bytes = this.#bytes;
    bytes[this.#end++] = value >>> 24;
    bytes[this.#end++] = value >>> 16;
    bytes[this.#end++] = value >>> 8;
    bytes[this.#end++] = value;
  }
}
