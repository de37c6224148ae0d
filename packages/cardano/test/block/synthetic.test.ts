import { createHash } from 'node:crypto';
import { emptySibling, encodeSyntheticChain, syntheticChain } from 'cardano-chains';
import { describe, expect, test } from 'vitest';

const encodedOf = (options: Parameters<typeof encodeSyntheticChain>[0]) =>
  Buffer.concat([...encodeSyntheticChain(options)]);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('the synthetic chain', () => {
  test('is the same bytes on every machine and in every version', () => {
    expect(sha256(encodedOf({}))).toBe('8a819d9107be7d55030866f2f6df3fc70f92aff81a40cd8a35900ff167fcb128');
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

test('an empty sibling stands in the slot of its block under another hash, the same every time', () => {
  const chain = [...syntheticChain()];
  for (const block of chain) {
    const sibling = emptySibling(block);
    expect(sibling).toEqual({ slot: block.slot, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(sibling.hash).not.toBe(block.hash);
    expect(emptySibling(block)).toEqual(sibling);
  }
  expect(new Set(chain.map((block) => emptySibling(block).hash)).size).toBe(chain.length);
});
