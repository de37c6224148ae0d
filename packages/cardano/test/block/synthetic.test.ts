import { createHash } from 'node:crypto';
import { emptySibling, encodeSyntheticChain, syntheticChain } from 'cardano-chains';
import { describe, expect, test } from 'vitest';
import type { ChainBlock } from '../../src/block/block.ts';
import { readHead } from '../../src/bytes/cbor-head.ts';

const chain = [...syntheticChain()];
const transactions = chain.flatMap((block) => block.transactions);
const encodedOf = (options: Parameters<typeof encodeSyntheticChain>[0]) =>
  Buffer.concat([...encodeSyntheticChain(options)]);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Every head in the bytes: what a walk passes, strings not entered. */
function shapesIn(bytes: Uint8Array): Set<string> {
  const shapes = new Set<string>();
  let before = '';
  for (let at = 0; at < bytes.length; ) {
    const head = readHead(bytes, at);
    const shape = `${head.major}${head.indefinite ? ' indefinite' : ''}`;
    shapes
      .add(shape)
      .add(`${before}, ${shape}`)
      .add(`${head.major} in ${head.end - at} bytes`);
    before = shape;
    at = head.end + (head.major === 2 || head.major === 3 ? head.argument : 0);
  }
  return shapes;
}

describe('the synthetic chain', () => {
  test('is the same bytes on every machine and in every version', () => {
    expect(sha256(encodedOf({}))).toBe('8a819d9107be7d55030866f2f6df3fc70f92aff81a40cd8a35900ff167fcb128');
  });

  test('has 200 blocks with a few hundred distinct transactions', () => {
    const distinct = new Set(transactions.map(({ hash }) => hash)).size;
    expect({ blocks: chain.length, transactions: transactions.length, distinct }).toEqual({
      blocks: 200,
      transactions: 376,
      distinct: 376,
    });
  });

  test('is linked from its first block, which has no parent', () => {
    const parents = [null, ...chain.slice(0, -1).map(({ hash }) => hash)];
    expect(chain.map(({ parent }) => parent)).toEqual(parents);
  });

  test('counts its blocks and rises in slots', () => {
    const rising = (block: ChainBlock, index: number) => block.slot > (chain[index - 1]?.slot ?? 0);
    expect(chain.map(({ number }) => number)).toEqual(chain.map((_, index) => index + 1));
    expect(chain.every(rising)).toBe(true);
  });

  test.each([1, 2, 3, 4_294_967_295])('of seed %i has payloads of 300 to 2,000 bytes', (seed) => {
    const blocks = [...syntheticChain({ seed, blocks: 300 })];
    const sizes = blocks.flatMap((block) => block.transactions.map(({ payload }) => payload.length));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
  });

  test('has empty blocks, invalid transactions and auxiliary data, and blocks and transactions without them', () => {
    const ends = transactions.map(({ payload }) => payload.at(-1));
    const last = transactions.map(({ payload }) => Buffer.from(payload.subarray(-2)).toString('hex'));
    expect(new Set(chain.map((block) => block.transactions.length))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(last).toEqual(expect.arrayContaining(['f5f6', 'f4f6']));
    expect(new Set(ends).size).toBeGreaterThan(1);
  });

  test.each([
    '2 indefinite',
    '3 indefinite',
    '4 indefinite',
    '5 indefinite',
    '5, 2',
    '5 indefinite, 2',
    '6',
    '0 in 9 bytes',
  ])('has what trips a decoder: head %s', (shape) => {
    expect(shapesIn(encodedOf({}))).toContain(shape);
  });

  test('begins alike when it is longer', () => {
    const short = encodedOf({ seed: 5, blocks: 20 });
    const long = encodedOf({ seed: 5, blocks: 40 });
    expect(long.subarray(0, short.length).equals(short)).toBe(true);
  });

  test('is another for another seed', () => {
    const hashes = [1, 2, 3].map((seed) => [...syntheticChain({ seed, blocks: 1 })][0]?.hash);
    expect(new Set(hashes).size).toBe(3);
  });

  test('has at most the transactions asked for in a block', () => {
    const most = (maxTransactions: number) =>
      Math.max(...[...syntheticChain({ maxTransactions })].map((block) => block.transactions.length));
    expect([most(0), most(1), most(20)]).toEqual([0, 1, 20]);
  });

  test.each([
    { seed: -1 },
    { seed: 1.5 },
    { seed: 2 ** 32 },
    { blocks: 0 },
    { blocks: Number.NaN },
    { maxTransactions: -1 },
    { maxTransactions: Number.POSITIVE_INFINITY },
  ])('refuses %o before the first block', (options) => {
    expect(() => encodeSyntheticChain(options)).toThrow(RangeError);
  });
});

describe('an empty sibling', () => {
  test('stands in the slot of its block under another hash, the same every time', () => {
    for (const block of chain) {
      const sibling = emptySibling(block);
      expect(sibling).toEqual({ slot: block.slot, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(sibling.hash).not.toBe(block.hash);
      expect(emptySibling(block)).toEqual(sibling);
    }
  });

  test('is another for every block', () => {
    expect(new Set(chain.map((block) => emptySibling(block).hash)).size).toBe(chain.length);
  });
});
