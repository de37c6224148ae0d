/** Reads a Cardano block by cutting its bytes: every hash is over the bytes exactly as they stand. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { CborError } from '../bytes/cbor-error.ts';
import {
  arrayItems,
  type CborItem,
  fewItems,
  isNull,
  itemEnd,
  mapEntries,
  readBytes,
  readUnsigned,
} from '../bytes/cbor-walker.ts';
import { digestBytes, hexDigest } from '../bytes/digest.ts';
import { BlockError, type BlockPlace } from './block-error.ts';

/** A transaction of a block. */
export interface ChainTransaction {
  /** blake2b-256 of the body's bytes, lower-case hex. */
  readonly hash: string;
  /** CBOR `[body, witness set, is valid, auxiliary data | null]`. A copy: it holds no view of the block. */
  readonly payload: Uint8Array;
  /** The block's era. */
  readonly payloadType: number;
}

export interface ChainBlock {
  readonly era: number;
  readonly number: number;
  readonly slot: number;
  /** blake2b-256 of the header's bytes, lower-case hex. */
  readonly hash: string;
  /** Hash of the block before; `null` for the first block of a chain. */
  readonly parent: string | null;
  readonly transactions: readonly ChainTransaction[];
}

interface Header extends BlockPlace {
  readonly parent: string | null;
}

interface BlockParts {
  readonly header: CborItem;
  readonly bodies: CborItem;
  readonly witnesses: CborItem;
  readonly auxiliary: CborItem;
  readonly invalid: CborItem;
}

/** Alonzo. Blocks of earlier eras have no list of invalid transactions, and those of Byron another form altogether. */
const firstEra = 5;
const lastPayloadType = 0xffff;
/** What is cut out takes many times its bytes: an array of empty transactions must not fill the memory. */
const maxTransactions = 65_536;
const isValid = Uint8Array.of(0xf5);
const isInvalid = Uint8Array.of(0xf4);
const noAuxiliary = Uint8Array.of(0xf6);
const arrayOfFour = Uint8Array.of(0x84);

/**
 * Reads one block `[era, [header, bodies, witness sets, auxiliary data map, invalid indexes]]`, Alonzo or later.
 * @throws BlockError when the bytes are not exactly one such block.
 */
export function readBlock(bytes: Uint8Array): ChainBlock {
  const { era, parts } = within(null, () => readParts(bytes));
  const header = within(null, () => readHeader(bytes, parts.header.start));
  const transactions = within(header, () => readTransactions(bytes, parts, era));
  return { era, ...header, hash: hexDigest(parts.header.bytes), transactions };
}

/** Adds the block's place to a fault found while reading it. */
function within<T>(place: BlockPlace | null, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CborError) throw new BlockError(error.offset, error.reason, place, error);
    if (error instanceof BlockError) throw new BlockError(error.offset, error.message, place);
    throw error;
  }
}

function readParts(bytes: Uint8Array): { readonly era: number; readonly parts: BlockParts } {
  const end = itemEnd(bytes, 0);
  if (end !== bytes.length) fail(end, 'bytes behind the block');
  const [tag, block, third] = arrayItems(bytes, 0);
  if (tag === undefined || block === undefined || third !== undefined) fail(0, 'expected [era, block]');
  const era = readEra(bytes, tag.start);
  const [header, bodies, witnesses, auxiliary, invalid, sixth] = arrayItems(bytes, block.start);
  if (!header || !bodies || !witnesses || !auxiliary || !invalid || sixth !== undefined) {
    fail(block.start, 'expected five parts in a block');
  }
  return { era, parts: { header, bodies, witnesses, auxiliary, invalid } };
}

function readEra(bytes: Uint8Array, offset: number): number {
  const era = readUnsigned(bytes, offset);
  if (era < firstEra) fail(offset, `era ${era}: blocks before Alonzo (era ${firstEra}) are not read`);
  if (era > lastPayloadType) fail(offset, `era ${era} is above ${lastPayloadType}`);
  return era;
}

function readHeader(bytes: Uint8Array, offset: number): Header {
  const [body, signature, more] = arrayItems(bytes, offset);
  if (!body || !signature || more !== undefined) fail(offset, 'expected [header body, signature]');
  const [number, slot, previous] = arrayItems(bytes, body.start);
  if (!number || !slot || !previous) fail(body.start, 'expected number, slot and previous hash');
  return {
    number: readUnsigned(bytes, number.start),
    slot: readUnsigned(bytes, slot.start),
    parent: isNull(bytes, previous.start) ? null : readHash(bytes, previous.start),
  };
}

function readHash(bytes: Uint8Array, offset: number): string {
  const hash = readBytes(bytes, offset);
  if (hash.length !== digestBytes) fail(offset, `expected a hash of ${digestBytes} bytes`);
  return bytesToHex(hash);
}

function readTransactions(bytes: Uint8Array, parts: BlockParts, era: number): readonly ChainTransaction[] {
  const bodies = fewItems(bytes, parts.bodies.start, maxTransactions);
  const witnesses = fewItems(bytes, parts.witnesses.start, maxTransactions);
  const failCount = () => fail(parts.witnesses.start, `${bodies.length} bodies but ${witnesses.length} witness sets`);
  if (bodies.length !== witnesses.length) failCount();
  const auxiliary = readAuxiliary(bytes, parts.auxiliary.start, bodies.length);
  const invalid = readInvalid(bytes, parts.invalid.start, bodies.length);
  return bodies.map((body, index) => {
    const witness = witnesses[index] ?? failCount();
    const validity = invalid.has(index) ? isInvalid : isValid;
    const auxiliaryData = auxiliary.get(index) ?? noAuxiliary;
    const cuts = [arrayOfFour, body.bytes, witness.bytes, validity, auxiliaryData];
    return { hash: hexDigest(body.bytes), payload: concat(cuts), payloadType: era };
  });
}

function readAuxiliary(bytes: Uint8Array, offset: number, count: number): Map<number, Uint8Array> {
  const byIndex = new Map<number, Uint8Array>();
  for (const [key, value] of mapEntries(bytes, offset)) {
    const index = readIndex(bytes, key.start, count);
    if (byIndex.has(index)) fail(key.start, `auxiliary data for transaction ${index} twice`);
    byIndex.set(index, value.bytes);
  }
  return byIndex;
}

function readInvalid(bytes: Uint8Array, offset: number, count: number): ReadonlySet<number> {
  const items = fewItems(bytes, offset, count);
  return new Set(items.map((item) => readIndex(bytes, item.start, count)));
}

function readIndex(bytes: Uint8Array, offset: number, count: number): number {
  const index = readUnsigned(bytes, offset);
  if (index < count) return index;
  return fail(offset, `transaction ${index} of a block that has ${count}`);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function fail(offset: number, message: string): never {
  throw new BlockError(offset, message, null);
}
