/** A made-up chain in the format of real ones, for a first run without a file and for tests. Linear: forks are the replay's. */
import { type ChainBlock, readBlock } from 'mempool-cardano';
import { array, byteString, nullItem, unsigned, wideUnsigned } from './cbor-writer.ts';
import { digest } from './digest.ts';
import { Random } from './random.ts';
import { eitherArray, eitherMap, type SyntheticTransaction, syntheticTransaction } from './synthetic-transaction.ts';

export interface SyntheticChainOptions {
  /** 0 … 2^32 − 1. Default: 1. */
  readonly seed?: number;
  /** At least 1. Default: 200. */
  readonly blocks?: number;
  /** In one block; 0 makes every block empty. Default: 5. */
  readonly maxTransactions?: number;
}

interface Position {
  readonly number: number;
  readonly slot: number;
  /** Hash of the header before. */
  readonly parent: Uint8Array | null;
}

interface EncodedBlock {
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
}

const babbage = 6;
const genesisSlot = 1_000_000;
const emptyBlockPercent = 40;

/**
 * The chain's blocks as they would stand in a chunk file, one after the other. The same seed and `maxTransactions` give the same
 * bytes on every machine, and a longer chain begins with the shorter one.
 * @throws RangeError naming the option that is out of range.
 */
export function encodeSyntheticChain(options: SyntheticChainOptions = {}): Generator<Uint8Array, void> {
  const { seed = 1, blocks = 200, maxTransactions = 5 } = options;
  expectInteger('seed', seed, 0, 2 ** 32 - 1);
  expectInteger('blocks', blocks, 1, Number.MAX_SAFE_INTEGER);
  expectInteger('maxTransactions', maxTransactions, 0, 100_000);
  return encodeBlocks(new Random(seed), blocks, maxTransactions);
}

/** The chain's blocks, read from their encoded form as a file's are. @throws RangeError as `encodeSyntheticChain` does. */
export function syntheticChain(options: SyntheticChainOptions = {}): Generator<ChainBlock, void> {
  return readAll(encodeSyntheticChain(options));
}

/** Where an empty block stands that another node made in this block's slot on the same parent: always the same one. */
export function emptySibling(block: Pick<ChainBlock, 'slot' | 'hash'>): {
  readonly slot: number;
  readonly hash: string;
} {
  return { slot: block.slot, hash: Buffer.from(digest(Buffer.from(`empty sibling of ${block.hash}`))).toString('hex') };
}

function* encodeBlocks(random: Random, blocks: number, maxTransactions: number): Generator<Uint8Array, void> {
  let position: Position = { number: 1, slot: genesisSlot, parent: null };
  while (position.number <= blocks) {
    const block = encodeBlock(random, position, countTransactions(random, maxTransactions));
    yield block.bytes;
    const slot = position.slot + random.between(1, 40);
    position = { number: position.number + 1, slot, parent: block.hash };
  }
}

function* readAll(encoded: Iterable<Uint8Array>): Generator<ChainBlock, void> {
  for (const bytes of encoded) yield readBlock(bytes);
}

function countTransactions(random: Random, most: number): number {
  return random.chance(emptyBlockPercent) ? 0 : random.between(Math.min(1, most), most);
}

function encodeBlock(random: Random, position: Position, count: number): EncodedBlock {
  const transactions = Array.from({ length: count }, () => syntheticTransaction(random));
  const header = encodeHeader(random, position);
  const parts = [
    header,
    eitherArray(
      random,
      transactions.map(({ body }) => body),
    ),
    eitherArray(
      random,
      transactions.map(({ witnesses }) => witnesses),
    ),
    encodeAuxiliary(random, transactions),
    encodeInvalid(random, transactions),
  ];
  const bytes = array([unsigned(babbage), eitherArray(random, parts)]);
  return { bytes, hash: digest(header) };
}

function encodeHeader(random: Random, { number, slot, parent }: Position): Uint8Array {
  const body = [
    unsigned(number),
    random.chance(50) ? wideUnsigned(slot) : unsigned(slot),
    parent === null ? nullItem : byteString(parent),
    byteString(random.bytes(32)),
    array([unsigned(8), unsigned(0)]),
  ];
  return array([array(body), byteString(random.bytes(64))]);
}

function encodeAuxiliary(random: Random, transactions: readonly SyntheticTransaction[]): Uint8Array {
  const entries = transactions.flatMap(({ auxiliary }, index) =>
    auxiliary === null ? [] : [[unsigned(index), auxiliary] as const],
  );
  return eitherMap(random, entries);
}

function encodeInvalid(random: Random, transactions: readonly SyntheticTransaction[]): Uint8Array {
  const indexes = transactions.flatMap(({ valid }, index) => (valid ? [] : [unsigned(index)]));
  return eitherArray(random, indexes);
}

function expectInteger(name: string, value: number, low: number, high: number): void {
  if (Number.isSafeInteger(value) && value >= low && value <= high) return;
  throw new RangeError(`${name} must be an integer from ${low} to ${high}, not ${value}`);
}
