import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeSyntheticChain, syntheticChain } from 'cardano-chains';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChainBlock } from '../../src/block/block.ts';
import { ChainFileError } from '../../src/block/chain-file-error.ts';
import { type ChunkFileOptions, readChunkFile } from '../../src/block/chunk-file.ts';

interface Reading {
  readonly blocks: readonly ChainBlock[];
  readonly error: ChainFileError | null;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chunk-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function chunkOf(...parts: readonly Uint8Array[]): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.chunk`);
  await writeFile(path, Buffer.concat(parts));
  return path;
}

async function read(path: string, options?: ChunkFileOptions): Promise<Reading> {
  const blocks: ChainBlock[] = [];
  try {
    for await (const block of readChunkFile(path, options)) blocks.push(block);
    return { blocks, error: null };
  } catch (error) {
    if (error instanceof ChainFileError) return { blocks, error };
    throw error;
  }
}

const numbersOf = ({ blocks }: Reading): number[] => blocks.map(({ number }) => number);
const placeOf = ({ number, slot }: { number: number; slot: number }) => ({ number, slot });
const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

const options = { seed: 11, blocks: 12, maxTransactions: 3 };
const encoded = [...encodeSyntheticChain(options)];
const chain = [...syntheticChain(options)];
/** The last byte of a block without invalid transactions. */
const emptyArray = 0x80;

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`no element ${index}`);
  return found;
}

describe('a chunk file', () => {
  test('gives the blocks that were written to it, in order', async () => {
    const path = await chunkOf(...encodeSyntheticChain());
    expect(await read(path)).toEqual({ blocks: [...syntheticChain()], error: null });
  });

  test.each([1, 7, 1_000, 4_096])('gives the same blocks when read %i bytes at a time', async (readSizeBytes) => {
    const path = await chunkOf(...encoded);
    expect(await read(path, { readSizeBytes })).toEqual({ blocks: chain, error: null });
  });

  test('cut short at any byte gives its whole blocks, then an error at the broken one', async () => {
    const parts = encoded.slice(0, 4);
    const ends = parts.map((_, index) => lengthOf(parts.slice(0, index + 1)));
    const path = await chunkOf(...parts);
    for (let length = lengthOf(parts) - 1; length > 0; length -= 1) {
      await truncate(path, length);
      const reading = await read(path);
      const whole = ends.filter((end) => end <= length);
      const start = whole.at(-1) ?? 0;
      const found = { blocks: reading.blocks.length, offset: reading.error?.offset };
      expect(found, `${length} bytes`).toEqual({
        blocks: whole.length,
        offset: start === length ? undefined : start,
      });
    }
  });
});

describe('a broken link', () => {
  test('is an error at the block whose parent is another than the block before', async () => {
    const path = await chunkOf(at(encoded, 0), at(encoded, 1), at(encoded, 3));
    const reading = await read(path);
    expect(numbersOf(reading)).toEqual([1, 2]);
    expect(reading.error).toMatchObject({ offset: lengthOf(encoded.slice(0, 2)), place: placeOf(at(chain, 3)) });
  });

  test.each([
    ['a block that stands twice', [0, 1, 1]],
    ['two blocks in the wrong order', [0, 2, 1]],
    ['a first block of a chain behind another block', [0, 1, 0]],
  ])('is found in %s', async (_, order) => {
    const path = await chunkOf(...order.map((index) => at(encoded, index)));
    const unlinked = order.findIndex((block, index) => index > 0 && block !== at(order, index - 1) + 1);
    expect((await read(path)).error?.place).toEqual(placeOf(at(chain, at(order, unlinked))));
  });
});

describe('a file that is no chunk', () => {
  test('because it is empty is an error, not an empty chain', async () => {
    const path = await chunkOf();
    expect(await read(path)).toMatchObject({ blocks: [], error: { path, offset: null } });
  });

  test.each([
    ['text', Buffer.from('this is a text file\n'), 0],
    ['zeros', Buffer.alloc(100), 0],
    ['a byte string that never ends', Buffer.from('5bffffffffffffffff', 'hex'), 0],
    ['a break', Buffer.from('ff', 'hex'), 0],
    ['an array of a reserved length', Buffer.from('9c', 'hex'), 0],
    ['an array with a stray break in it', Buffer.from('8206ff', 'hex'), 2],
    ['an empty array', Buffer.from('80', 'hex'), 0],
    ['another kind of block', Buffer.from('820080', 'hex'), 1],
  ])('because it holds %s is an error at its byte', async (_, bytes, offset) => {
    const path = await chunkOf(bytes);
    expect(await read(path)).toMatchObject({ blocks: [], error: { path, offset, place: null } });
  });

  test.each([
    ['a zero', Buffer.alloc(1), 0],
    ['text', Buffer.from('garbage'), 0],
    ['half an array', Buffer.from('82', 'hex'), 0],
    ['an array of numbers', Buffer.from('820102', 'hex'), 1],
  ])('from some byte on, because %s follows the last block, is an error at that byte', async (_, bytes, offset) => {
    const path = await chunkOf(...encoded, bytes);
    const reading = await read(path);
    expect(reading.blocks).toEqual(chain);
    expect(reading.error?.offset).toBe(lengthOf(encoded) + offset);
  });

  test('because a block has a fault is an error at the byte in the file, naming the block', async () => {
    const index = encoded.findIndex((bytes, place) => place > 0 && bytes.at(-1) === emptyArray);
    const invalid = Buffer.from('811863', 'hex');
    const parts = [...encoded.slice(0, index), at(encoded, index).subarray(0, -1), invalid];
    const { error } = await read(await chunkOf(...parts));
    expect(error).toMatchObject({ offset: lengthOf(parts) - 2, place: placeOf(at(chain, index)) });
  });

  test('because a block has no end within the bytes allowed is an error at its first byte', async () => {
    // Whoever reads on finds the reserved head, at another byte.
    const endless = [Buffer.from('9f', 'hex'), Buffer.alloc(9_000), Buffer.from('1c', 'hex')];
    const path = await chunkOf(at(encoded, 0), ...endless);
    const reading = await read(path, { readSizeBytes: 512, maxBlockBytes: 4_000 });
    expect(reading.error?.offset).toBe(at(encoded, 0).length);
  });

  test.each(['missing.chunk', '.'])('is named at the start of the one line an operator sees: %s', async (name) => {
    const path = join(folder, name);
    const { error } = await read(path);
    expect(error?.message.startsWith(`${path}: `)).toBe(true);
    expect(error?.message).not.toContain('\n');
  });
});
