import { readFileSync } from 'node:fs';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { agreementDigest, batchDigest, itemDigest, merkleRoot, validatorsDigest } from '../../src/rules/digest.ts';
import { shuffled } from './shuffled.ts';

const of = (text: string) => keccak_256(utf8ToBytes(text));
const leaf = (project: string, cid: string) => keccak_256(concatBytes(Uint8Array.of(0), of(project), of(cid)));
const node = (left: Uint8Array, right: Uint8Array) => keccak_256(concatBytes(Uint8Array.of(1), left, right));

test('the root is that of the definition: of none, one, two and three leaves', () => {
  const [a, b, c] = [leaf('a', 'x'), leaf('b', 'y'), leaf('c', 'z')];
  const leaves = [
    { project: 'a', cid: 'x' },
    { project: 'b', cid: 'y' },
    { project: 'c', cid: 'z' },
  ];
  expect(merkleRoot([])).toBe('00'.repeat(32));
  expect(merkleRoot(leaves.slice(0, 1))).toBe(bytesToHex(a));
  expect(merkleRoot(leaves.slice(0, 2))).toBe(bytesToHex(node(a, b)));
  expect(merkleRoot(leaves)).toBe(bytesToHex(node(node(a, b), c)));
});

test('the test vector of the README is right', () => {
  const leaves = [
    { project: 'btc', cid: 'bafy1' },
    { project: 'eth', cid: 'bafy2' },
    { project: 'sol', cid: 'bafy3' },
  ];
  expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(`\`${merkleRoot(leaves)}\``);
});

test(`the root does not depend on the order, and does on every leaf (seed ${seed})`, () => {
  const random = new Random(seed);
  for (let round = 0; round < 50; round++) {
    const leaves = Array.from({ length: 1 + random.below(40) }, (_, i) => ({
      project: `p${i}`,
      cid: `c${random.below(9)}`,
    }));
    const root = merkleRoot(leaves);
    expect(merkleRoot(shuffled(leaves, random))).toBe(root);
    const changed = random.below(leaves.length);
    expect(merkleRoot(leaves.map((each, i) => (i === changed ? { ...each, cid: 'other' } : each)))).not.toBe(root);
    expect(merkleRoot(leaves.slice(1))).not.toBe(root);
  }
});

test('a node is no leaf, and a project does not run into its content id', () => {
  expect(merkleRoot([{ project: 'ab', cid: 'c' }])).not.toBe(merkleRoot([{ project: 'a', cid: 'bc' }]));
});

test('the digest that validators sign covers domain, epoch, validators, root and content id', () => {
  const batch = { domain: '0d'.repeat(32), epoch: 7, root: '11'.repeat(32), cid: 'bafy' };
  const others = [
    batchDigest({ ...batch, epoch: 8 }, ['a', 'b']),
    batchDigest({ ...batch, root: '12'.repeat(32) }, ['a', 'b']),
    batchDigest({ ...batch, cid: 'bafz' }, ['a', 'b']),
    batchDigest(batch, ['a', 'b', 'c']),
    batchDigest(batch, ['ab']),
    batchDigest({ ...batch, domain: '0e'.repeat(32) }, ['a', 'b']),
  ];
  const digest = batchDigest(batch, ['a', 'b']);
  expect(batchDigest(batch, ['b', 'a'])).toBe(digest);
  expect(new Set([digest, ...others]).size).toBe(7);
  expect(validatorsDigest(['a', 'b'])).toBe(bytesToHex(of('a\nb\n')));
});

test('work items differ by epoch, part and projects', () => {
  const hashes = [
    itemDigest(1, 0, ['a']),
    itemDigest(2, 0, ['a']),
    itemDigest(1, 1, ['a']),
    itemDigest(1, 0, ['a', 'b']),
  ];
  expect(new Set(hashes).size).toBe(4);
});

test('the digest of an agreement is that of packed Solidity: a byte 4, the domain, a uint64, the root', () => {
  const agreed = { domain: `0x${'0D'.repeat(32)}`, epoch: 0x0102, root: 'ab'.repeat(32) };
  const packed = `04${'0d'.repeat(32)}0000000000000102${'ab'.repeat(32)}`;
  expect(agreementDigest(agreed)).toBe(bytesToHex(keccak_256(hexToBytes(packed))));
  expect(agreementDigest({ ...agreed, domain: '0d'.repeat(32) })).toBe(agreementDigest(agreed));
  for (const domain of ['', '0d', '0x', 'zz'.repeat(32), '0d'.repeat(33)])
    expect(() => agreementDigest({ ...agreed, domain })).toThrow(RangeError);
});
