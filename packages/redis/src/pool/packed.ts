/** An item of a packed list. Strings are packed as text. */
export type Item = string | number | Buffer;

const headBytes = 5;

/** Packs lists as one MessagePack array, which Lua scripts unpack at little cost. The buffer is sized in advance. */
export function packLists(lists: readonly (readonly Item[])[]): Buffer {
  const bytes = Buffer.allocUnsafe(lists.reduce((sum, list) => sum + listBytes(list), headBytes));
  let at = writeHead(bytes, 0xdd, lists.length, 0);
  for (const list of lists) {
    at = writeHead(bytes, 0xdd, list.length, at);
    for (const item of list) at = writeItem(bytes, item, at);
  }
  return bytes.subarray(0, at);
}

/** Upper bound: the bytes of all items, each with the longest head. */
function listBytes(list: readonly Item[]): number {
  let bytes = headBytes;
  for (const item of list) bytes += headBytes + itemBytes(item);
  return bytes;
}

/** Returns the packed size of an item. For text it is an upper bound of three bytes for each UTF-16 unit. */
export function itemBytes(item: Item): number {
  if (typeof item === 'number') return 0;
  return typeof item === 'string' ? 3 * item.length : item.length;
}

function writeItem(bytes: Buffer, item: Item, at: number): number {
  if (typeof item === 'number') return writeHead(bytes, 0xce, item, at);
  if (typeof item === 'string') return writeText(bytes, item, at);
  const from = writeLength(bytes, item.length, at);
  bytes.set(item, from);
  return from + item.length;
}

function writeText(bytes: Buffer, text: string, at: number): number {
  const length = Buffer.byteLength(text);
  const from = writeLength(bytes, length, at);
  return from + bytes.write(text, from);
}

function writeLength(bytes: Buffer, length: number, at: number): number {
  if (length >= 32) return writeHead(bytes, 0xdb, length, at);
  bytes[at] = 0xa0 | length;
  return at + 1;
}

function writeHead(bytes: Buffer, kind: number, value: number, at: number): number {
  bytes[at] = kind;
  return bytes.writeUInt32BE(value, at + 1);
}
