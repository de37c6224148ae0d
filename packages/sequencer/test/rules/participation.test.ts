import { Random, seed } from 'mempool-testkit';
import { describe, expect, test } from 'vitest';
import {
  addParticipation,
  countParticipation,
  type EpochOutcome,
  participationOf,
} from '../../src/rules/participation.ts';

const three = ['a', 'b', 'c'];
const perfect: EpochOutcome = { validators: three, batches: three, included: three, counted: 9, isOver: true };

const shares = (...outcomes: EpochOutcome[]) =>
  participationOf(countParticipation(outcomes)).map((each) => [each.validator, each.participation, each.inclusion]);

describe('the shares of validators', () => {
  test('are 1 for one that did everything, of every number of epochs and validators', () => {
    for (let validators = 1; validators <= 20; validators++)
      for (const epochs of [1, 2, 3, 10]) {
        const names = Array.from({ length: validators }, (_, i) => `v${i}`);
        const all = { ...perfect, validators: names, batches: names, included: names };
        const counts = countParticipation(Array.from({ length: epochs }, () => all));
        expect(participationOf(counts)).toHaveLength(validators);
        for (const each of participationOf(counts))
          expect(each).toMatchObject({ epochs, batches: epochs, participation: 1, inclusion: 1 });
      }
  });

  const table: readonly (readonly [string, EpochOutcome, readonly unknown[]])[] = [
    ['a batch is missing', { ...perfect, batches: ['a', 'b'], included: ['a', 'b'] }, [1, 1, 1, 1, 0, 0]],
    ['a batch was not counted', { ...perfect, included: ['a', 'b'] }, [1, 1, 1, 1, 1, 0]],
    ['they agree on nothing', { ...perfect, batches: ['a'], included: null }, [1, null, 0, null, 0, null]],
    [
      'nobody sent, though there was something to send',
      { ...perfect, batches: [], included: null },
      [0, null, 0, null, 0, null],
    ],
    ['a batch counts whose record is gone', { ...perfect, batches: [] }, [1, 1, 1, 1, 1, 1]],
    ['a validator is named twice', { ...perfect, validators: [...three, 'a'] }, [1, 1, 1, 1, 1, 1]],
    ['a stranger sent', { ...perfect, batches: [...three, 'x'] }, [1, 1, 1, 1, 1, 1]],
  ];
  test.each(table)('when %s', (_, outcome, expected) => {
    const [a, b, c, d, e, f] = expected;
    expect(shares(outcome)).toEqual([
      ['a', a, b],
      ['b', c, d],
      ['c', e, f],
    ]);
  });

  test('nobody is blamed for an epoch without submissions, or one that is not over', () => {
    const silent = { ...perfect, batches: [], included: null };
    expect(shares({ ...silent, counted: 0 })).toEqual([]);
    expect(shares({ ...silent, isOver: false })).toEqual([]);
    expect(shares(perfect, { ...silent, counted: 0 }, { ...silent, isOver: false })).toEqual(shares(perfect));
  });
});

test(`shares are between 0 and 1, and counts may be added in any order and grouping (seed ${seed})`, () => {
  const random = new Random(seed);
  const some = (): string[] => ['a', 'b', 'c', 'd'].filter(() => random.below(2) === 0);
  for (let run = 0; run < 500; run++) {
    const outcomes = Array.from(
      { length: random.below(12) },
      (): EpochOutcome => ({
        ...{ validators: some(), batches: some(), included: random.below(3) === 0 ? null : some() },
        ...{ counted: random.below(2), isOver: random.below(4) > 0 },
      }),
    );
    const all = participationOf(countParticipation(outcomes));
    const cut = random.below(outcomes.length + 1);
    const halves = [countParticipation(outcomes.slice(cut)), countParticipation(outcomes.slice(0, cut))];
    expect(participationOf(addParticipation(halves))).toEqual(all);
    for (const { epochs, batches, agreements, included, participation, inclusion } of all) {
      expect(batches).toBeLessThanOrEqual(epochs);
      expect(included).toBeLessThanOrEqual(agreements);
      expect(agreements).toBeLessThanOrEqual(epochs);
      for (const share of [participation, inclusion]) if (share !== null) expect(share >= 0 && share <= 1).toBe(true);
    }
  }
});
