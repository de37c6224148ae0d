import { describe, expect, test } from 'vitest';
import { inverted, median, quantile, quotients, spreadOf } from '../src/report/spread.ts';

describe('a spread', () => {
  test('has the middle value as its median, whatever order the rounds came in', () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  test('has the mean of the middle two as median where they are even', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test('names the middle half and the extremes', () => {
    expect(spreadOf([5, 1, 2, 4, 3])).toEqual({ median: 3, lower: 2, upper: 4, least: 1, most: 5, rounds: 5 });
  });

  test('is one value throughout after a single round', () => {
    expect(spreadOf([7])).toEqual({ median: 7, lower: 7, upper: 7, least: 7, most: 7, rounds: 1 });
  });

  test('takes a quantile between two rounds in proportion', () => {
    expect(quantile([10, 20], 0.25)).toBe(12.5);
  });

  test('cannot be had from no rounds', () => {
    expect(() => spreadOf([])).toThrow(RangeError);
  });

  test('leaves one outlier among seven rounds without effect on the median', () => {
    expect(median([3, 3, 3, 3, 3, 3, 900])).toBe(3);
  });
});

describe('an inverted spread', () => {
  test('is that of the reciprocals', () => {
    const rounds = [1, 2, 4, 8, 16];
    expect(inverted(spreadOf(rounds))).toEqual(spreadOf(rounds.map((value) => 1 / value)));
  });
});

describe('quotients', () => {
  test('divide what was measured in the same round', () => {
    expect(quotients([10, 40], [5, 10])).toEqual([2, 4]);
  });

  test('refuse different numbers of rounds', () => {
    expect(() => quotients([1, 2], [1])).toThrow(RangeError);
  });
});
