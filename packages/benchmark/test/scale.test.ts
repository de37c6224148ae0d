import { describe, expect, test } from 'vitest';
import { apart, logScale } from '../src/report/scale.ts';

describe('a logarithmic scale', () => {
  test('has powers of ten around all values as ticks', () => {
    expect(logScale([3, 4_200], 0, 100).ticks).toEqual([1, 10, 100, 1_000, 10_000]);
  });

  test('gives equal factors equal room', () => {
    const { at } = logScale([1, 100], 0, 100);
    expect([at(1), at(10), at(100)]).toEqual([0, 50, 100]);
  });

  test('is not empty for a single value', () => {
    const { at, ticks } = logScale([10], 0, 100);
    expect(ticks).toEqual([10, 100]);
    expect(at(10)).toBe(0);
  });
});

describe('labels', () => {
  test('that have room stay where they are', () => {
    expect(apart([10, 90, 50], 10, 100)).toEqual([10, 90, 50]);
  });

  test('that would overlap move apart in their order', () => {
    const places = apart([52, 50, 51], 10, 200);
    expect(places).toEqual([70, 50, 60]);
  });

  test('stay before the end', () => {
    expect(apart([99, 98, 100], 10, 100)).toEqual([90, 80, 100]);
  });
});
