/** What a real transaction spends and makes, read from its bytes. */
import { arrayItems, mapEntries, readBytes, readUnsigned } from 'cardano-blocks';
import type { Transaction } from 'mempool-core';
import type { Spending } from './spending.ts';

/** Keys of a transaction's body. */
const keys = { inputs: 0, outputs: 1, fee: 2, collateral: 13, collateralReturn: 16, totalCollateral: 17 } as const;
const isTrue = 0xf5;
/** From Conway on a set may be marked as one: tag 258. */
const setMark = Uint8Array.of(0xd9, 0x01, 0x02);

/**
 * The inputs and outputs of `[body, witness set, is valid, auxiliary data]`. A transaction whose script failed spends its collateral
 * instead of its inputs. It makes only the collateral return, numbered after the outputs that it did not make.
 *
 * @throws CborError if the bytes are not a transaction
 */
export function cardanoSpending({ hash, payload }: Transaction): Spending {
  const [body, , valid] = arrayItems(payload, 0);
  if (body === undefined || valid === undefined) throw new Error('a transaction has four parts');
  const fields = fieldsAt(payload, body.start);
  const made = count(payload, fields.get(keys.outputs));
  const outpoint = (index: number): string => `${hash}#${index}`;
  if (payload[valid.start] === isTrue) {
    const outputs = Array.from({ length: made }, (_, index) => outpoint(index));
    return { inputs: outpoints(payload, fields.get(keys.inputs)), outputs, fee: amount(payload, fields.get(keys.fee)) };
  }
  const inputs = outpoints(payload, fields.get(keys.collateral));
  const outputs = fields.has(keys.collateralReturn) ? [outpoint(made)] : [];
  return { inputs, outputs, fee: amount(payload, fields.get(keys.totalCollateral)) };
}

/** Where the value of each key stands. */
function fieldsAt(bytes: Uint8Array, offset: number): ReadonlyMap<number, number> {
  const entries = Array.from(mapEntries(bytes, offset));
  return new Map(entries.map(([key, value]) => [readUnsigned(bytes, key.start), value.start]));
}

function count(bytes: Uint8Array, offset: number | undefined): number {
  return offset === undefined ? 0 : Array.from(arrayItems(bytes, offset)).length;
}

function amount(bytes: Uint8Array, offset: number | undefined): number {
  return offset === undefined ? 0 : readUnsigned(bytes, offset);
}

function outpoints(bytes: Uint8Array, offset: number | undefined): string[] {
  if (offset === undefined) return [];
  return Array.from(arrayItems(bytes, behindMark(bytes, offset)), ({ start }) => {
    const [hash, index] = arrayItems(bytes, start);
    if (hash === undefined || index === undefined) throw new Error('an input has a hash and an index');
    return `${Buffer.from(readBytes(bytes, hash.start)).toString('hex')}#${readUnsigned(bytes, index.start)}`;
  });
}

function behindMark(bytes: Uint8Array, offset: number): number {
  const isMarked = setMark.every((byte, i) => bytes[offset + i] === byte);
  return isMarked ? offset + setMark.length : offset;
}
