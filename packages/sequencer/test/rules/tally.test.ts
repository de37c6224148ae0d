import { Random, seed } from 'mempool-testkit';
import { describe, expect, test } from 'vitest';
import type { Vote } from '../../src/contract/submission.ts';
import { partsOf } from '../../src/rules/parts.ts';
import { tally, winner, winners } from '../../src/rules/tally.ts';
import { shuffled } from './shuffled.ts';

const vote = (slot: number, project: string, cid: string, hash = `${slot}-${project}-${cid}`): Vote => ({
  hash,
  slot,
  project,
  cid,
});

describe('the tally', () => {
  test('of nothing is nothing', () => {
    expect(tally([])).toEqual({ projects: [], equivocating: [], counted: 0, slots: 0 });
  });

  test('two slots that vote the same both count', () => {
    expect(tally([vote(1, 'a', 'x'), vote(2, 'a', 'x'), vote(3, 'a', 'y')]).projects).toEqual([
      {
        project: 'a',
        votes: [
          ['x', 2],
          ['y', 1],
        ],
      },
    ]);
  });

  test('the same vote of a slot counts once, however often it is there', () => {
    const { projects, counted } = tally([vote(1, 'a', 'x', 'h1'), vote(1, 'a', 'x', 'h2'), vote(2, 'a', 'y', 'h3')]);
    expect(projects).toEqual([
      {
        project: 'a',
        votes: [
          ['x', 1],
          ['y', 1],
        ],
      },
    ]);
    expect(counted).toBe(3);
  });

  test('a slot that contradicts itself loses all its votes for that project, and no other', () => {
    const votes = [vote(1, 'a', 'x', 'h1'), vote(1, 'a', 'y', 'h2'), vote(1, 'a', 'x', 'h3'), vote(1, 'b', 'z', 'h4')];
    expect(tally([...votes, vote(2, 'a', 'x', 'h5')])).toEqual({
      projects: [
        { project: 'a', votes: [['x', 1]] },
        { project: 'b', votes: [['z', 1]] },
      ],
      equivocating: ['h1', 'h2', 'h3'],
      counted: 2,
      slots: 2,
    });
  });

  test('a project whose only slot contradicts itself has no result', () => {
    expect(tally([vote(1, 'a', 'x'), vote(1, 'a', 'y')]).projects).toEqual([]);
  });

  test(`of any order is the same, and every vote is counted or dropped (seed ${seed})`, () => {
    const random = new Random(seed);
    for (let round = 0; round < 200; round++) {
      const votes = Array.from({ length: random.below(60) }, (_, i) =>
        vote(random.below(6), `p${random.below(5)}`, `c${random.below(3)}`, `h${i}`),
      );
      const first = tally(votes);
      expect(tally(shuffled(votes, random))).toEqual(first);
      expect(first.counted + first.equivocating.length).toBe(votes.length);
    }
  });
});

describe('the winner', () => {
  test('has the most votes; of several it is the lowest content id', () => {
    expect(winner([])).toBeNull();
    expect(
      winner([
        ['b', 1],
        ['c', 2],
      ]),
    ).toBe('c');
    expect(
      winner([
        ['b', 2],
        ['c', 2],
        ['a', 1],
      ]),
    ).toBe('b');
    expect(
      winner([
        ['c', 2],
        ['b', 2],
      ]),
    ).toBe('b');
    expect(
      winner([
        ['Z', 1],
        ['a', 1],
      ]),
    ).toBe('Z');
  });

  test('is found for each project of a part, sorted', () => {
    const part = [
      { project: 'b', votes: [['x', 1]] },
      {
        project: 'a',
        votes: [
          ['y', 1],
          ['z', 3],
        ],
      },
      { project: 'c', votes: [] },
    ] as const;
    expect(winners(part)).toEqual([
      { project: 'a', cid: 'z' },
      { project: 'b', cid: 'x' },
    ]);
  });
});

test('parts have 20 projects but the last, and are the list in order', () => {
  for (const [count, sizes] of [
    [0, []],
    [1, [1]],
    [20, [20]],
    [21, [20, 1]],
    [60, [20, 20, 20]],
  ] as const) {
    const projects = Array.from({ length: count }, (_, i) => i);
    const parts = partsOf(projects);
    expect(parts.map(({ length }) => length)).toEqual(sizes);
    expect(parts.flat()).toEqual(projects);
  }
});
