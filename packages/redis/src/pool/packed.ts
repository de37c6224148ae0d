/** A value for a script. An object becomes a table with names; its `undefined` fields are left out. */
export type Packable =
  | string
  | number
  | boolean
  | Uint8Array
  | readonly Packable[]
  | { readonly [name: string]: Packable | undefined };

const headBytes = 9;

/**
 * Encodes a value as MessagePack, which a script reads with `cmsgpack.unpack`. A library would write bytes as `bin`, and the server does not
 * know this type: in Lua, bytes are strings.
 */
export function pack(value: Packable): Buffer {
  const writer = new Writer();
  writer.add(value);
  return writer.written;
}

class Writer {
  #bytes = Buffer.allocUnsafe(1_024);
  #end = 0;

  get written(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  add(value: Packable): void {
    if (typeof value === 'string') this.#text(value);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'boolean') this.#head(value ? 0xc3 : 0xc2);
    else if (value instanceof Uint8Array) this.#raw(value);
    else if (Array.isArray(value)) this.#list(value);
    else this.#table(value as Readonly<Record<string, Packable | undefined>>);
  }

  #text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#head(0xdb, length);
    this.#room(length);
    this.#end += this.#bytes.write(text, this.#end);
  }

  #raw(bytes: Uint8Array): void {
    this.#head(0xdb, bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #number(value: number): void {
    if (value >>> 0 === value) this.#head(0xce, value);
    else {
      this.#head(0xcb);
      this.#end = this.#bytes.writeDoubleBE(value, this.#end);
    }
  }

  #list(items: readonly Packable[]): void {
    this.#head(0xdd, items.length);
    for (const item of items) this.add(item);
  }

  #table(fields: Readonly<Record<string, Packable | undefined>>): void {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined) as [string, Packable][];
    this.#head(0xdf, given.length);
    for (const [name, value] of given) {
      this.#text(name);
      this.add(value);
    }
  }

  /** Writes the byte of a type, and a length or a number. */
  #head(type: number, value?: number): void {
    this.#room(headBytes);
    this.#bytes[this.#end++] = type;
    if (value !== undefined) this.#end = this.#bytes.writeUInt32BE(value, this.#end);
  }

  #room(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#end + more));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
