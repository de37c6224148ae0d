import { mapEntries, readUnsigned } from '../bytes/cbor-walker.ts';
import { refuse } from './transaction-error.ts';

/** Where the value of each key of a map stands. */
export type Fields = ReadonlyMap<number, number>;

/** The map at `offset`, whose keys are small numbers. A key that is there twice would be read differently by different readers. */
export function fieldsAt(bytes: Uint8Array, offset: number): Fields {
  const fields = new Map<number, number>();
  for (const [key, value] of mapEntries(bytes, offset)) {
    const number = readUnsigned(bytes, key.start);
    if (fields.has(number)) refuse(key.start, `key ${number} twice in a map`);
    fields.set(number, value.start);
  }
  return fields;
}

/** The value of a key, or what stands for its absence. */
export function fieldOr<T, U>(fields: Fields, key: number, read: (offset: number) => T, absent: U): T | U {
  const offset = fields.get(key);
  return offset === undefined ? absent : read(offset);
}
