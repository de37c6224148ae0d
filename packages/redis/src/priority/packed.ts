/** What a packed list may hold: a string is text. */
export type Item = string | number | Buffer;

const firstBytes = 16 * 1024;

/** Lists as MessagePack, which the server's scripts take apart at little cost. */
export class Packed {
  #bytes: Buffer = Buffer.allocUnsafe(firstBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  array(length: number): void {
    const at = this.#claim(5);
    this.#bytes[at] = 0xdd;
    this.#bytes.writeUInt32BE(length, at + 1);
  }

  item(item: Item): void {
    switch (typeof item) {
      case 'number':
        this.#number(item);
        break;
      case 'string':
        this.#text(item);
        break;
      case 'object':
        this.#raw(item);
        break;
    }
  }

  /** What was written, after a head that tells how many lists it holds. */
  take(lists: number): Buffer {
    const head = Buffer.alloc(5, 0xdd);
    head.writeUInt32BE(lists, 1);
    const taken = Buffer.concat([head, this.#bytes.subarray(0, this.#length)]);
    this.#length = 0;
    return taken;
  }

  /** Counts: what is too large for one travels as text. */
  #number(value: number): void {
    const at = this.#claim(5);
    this.#bytes[at] = 0xce;
    this.#bytes.writeUInt32BE(value, at + 1);
  }

  #text(text: string): void {
    const at = this.#open(Buffer.byteLength(text));
    this.#bytes.write(text, at);
  }

  #raw(bytes: Buffer): void {
    const at = this.#open(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Where the bytes of a string go, in what by then may be another buffer. */
  #open(length: number): number {
    const isShort = length < 32;
    const at = this.#claim(isShort ? 1 + length : 5 + length);
    this.#bytes[at] = isShort ? 0xa0 | length : 0xdb;
    if (isShort) return at + 1;
    this.#bytes.writeUInt32BE(length, at + 1);
    return at + 5;
  }

  #claim(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at;
  }
}
