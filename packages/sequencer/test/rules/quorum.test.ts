import { Random, seed } from 'mempool-testkit';
import { describe, expect, test } from 'vitest';
import type { Leaf } from '../../src/contract/batch.ts';
import { merkleRoot } from '../../src/rules/digest.ts';
import { agree, type CountedBatch, certify, quorum, standing } from '../../src/rules/quorum.ts';
import { shuffled } from './shuffled.ts';

/** A batch from `project: content id` pairs. */
function batch(validator: string, content: Readonly<Record<string, string>>): CountedBatch {
  const leaves: Leaf[] = Object.entries(content).map(([project, cid]) => ({ project, cid }));
  return { validator, leaves, root: merkleRoot(leaves) };
}

const four = ['v1', 'v2', 'v3', 'v4'];

test('more than two thirds are a quorum', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 9, 10, 100].map(quorum)).toEqual([1, 2, 3, 3, 4, 5, 5, 7, 7, 67]);
  for (let n = 1; n <= 1_000; n++) {
    expect(3 * quorum(n)).toBeGreaterThan(2 * n);
    expect(3 * (quorum(n) - 1)).toBeLessThanOrEqual(2 * n);
  }
});

describe('the agreement', () => {
  test('has what a quorum found, and names what none did', () => {
    const batches = [
      batch('v1', { a: 'x', b: 'y', c: 'z' }),
      batch('v2', { a: 'x', b: 'y', c: 'q' }),
      batch('v3', { a: 'x', b: 'n' }),
      batch('v4', { a: 'x', b: 'y' }),
    ];
    const leaves = [
      { project: 'a', cid: 'x' },
      { project: 'b', cid: 'y' },
    ];
    expect(agree(5, batches, four)).toEqual({
      epoch: 5,
      leaves,
      root: merkleRoot(leaves),
      leftOut: [
        {
          project: 'c',
          votes: [
            ['q', 1],
            ['z', 1],
          ],
        },
      ],
      validators: four,
      equivocating: [],
    });
  });

  test('counts the validators of the epoch, not the batches that are there', () => {
    const same = { a: 'x' };
    expect(agree(1, [batch('v1', same), batch('v2', same)], four).leaves).toEqual([]);
    expect(agree(1, [batch('v1', same), batch('v2', same), batch('v3', same)], four).leaves).toHaveLength(1);
  });

  test('counts nobody who is no validator, and no validator twice', () => {
    const same = { a: 'x' };
    const batches = [batch('v1', same), batch('v2', same), batch('v2', same), batch('stranger', same)];
    expect(agree(1, batches, four)).toMatchObject({ leaves: [], validators: ['v1', 'v2'] });
  });

  test('counts nothing of a validator that signed two results', () => {
    const batches = [
      batch('v1', { a: 'x' }),
      batch('v2', { a: 'x' }),
      batch('v3', { a: 'x' }),
      batch('v3', { a: 'y' }),
    ];
    expect(agree(1, batches, four)).toMatchObject({ leaves: [], equivocating: ['v3'], validators: ['v1', 'v2'] });
  });

  test(`of any order is the same (seed ${seed})`, () => {
    const random = new Random(seed);
    for (let round = 0; round < 200; round++) {
      const validators = Array.from({ length: 1 + random.below(7) }, (_, i) => `v${i}`);
      const batches = Array.from({ length: random.below(12) }, () => {
        const content = Object.fromEntries(['a', 'b', 'c', 'd'].map((project) => [project, `c${random.below(2)}`]));
        return batch(`v${random.below(9)}`, content);
      });
      const first = agree(round, batches, validators);
      expect(agree(round, shuffled(batches, random), shuffled(validators, random))).toEqual(first);
      for (const { votes } of first.leftOut)
        for (const [, count] of votes) expect(count).toBeLessThan(quorum(validators.length));
    }
  });
});

describe('the certificate', () => {
  const endorsed = (root: string, ...validators: readonly string[]) =>
    validators.map((validator) => ({ epoch: 3, validator, root, signature: `${validator}-${root}` }));

  test('has a root that a quorum endorsed, with the signatures sorted', () => {
    const [v1, v2, v3, v4] = [...endorsed('a', ...four)];
    const some = [v3, v1, v4].flatMap((each) => each ?? []);
    expect(certify(3, some, four)).toEqual({
      epoch: 3,
      root: 'a',
      signatures: ['v1', 'v3', 'v4'].map((validator) => ({ validator, signature: `${validator}-a` })),
    });
    expect(certify(3, some.slice(1), four)).toBeNull();
    expect(certify(3, [], four)).toBeNull();
    expect(
      certify(
        3,
        [v1, v1, v2, v2].flatMap((each) => each ?? []),
        four,
      ),
    ).toBeNull();
    expect(certify(3, endorsed('a', 'v1', 'v2', 'stranger'), four)).toBeNull();
  });

  test('of two roots with a quorum is the preferred one, or the lowest', () => {
    const both = [...endorsed('b', ...four), ...endorsed('a', 'v1', 'v2', 'v3'), ...endorsed('0', 'v1', 'v2')];
    expect(certify(3, both, four)).toMatchObject({ root: 'a' });
    expect(certify(3, both, four, 'b')).toMatchObject({ root: 'b' });
    expect(certify(3, both, four, '0')).toMatchObject({ root: 'a' });
  });
});

test(`the standing says whom the agreement counts, before it is made (seed ${seed})`, () => {
  const random = new Random(seed);
  for (let round = 0; round < 200; round++) {
    const batches = Array.from({ length: random.below(9) }, () =>
      batch(`v${random.below(6)}`, { a: `c${random.below(2)}` }),
    );
    const { validators, equivocating } = agree(round, batches, four);
    expect(standing(batches, four)).toEqual({ validators, equivocating });
  }
});
