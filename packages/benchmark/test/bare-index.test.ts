import { describe, expect, test } from 'vitest';
import { BareIndex } from '../src/limits/index.ts';

describe('the bare index', () => {
  test('gives the first ones from the highest priority on', () => {
    const walked = new BareIndex(50).walk(20);
    const priorities = walked.map(({ priority }) => priority);
    expect(walked).toHaveLength(20);
    expect(priorities).toEqual(priorities.toSorted((a, b) => (a > b ? -1 : 1)));
  });

  test('gives copies: what the caller does to one changes nothing', () => {
    const index = new BareIndex(3);
    const [first] = index.walk(1);
    expect(index.walk(1)[0]).toEqual(first);
    expect(index.walk(1)[0]).not.toBe(first);
  });

  test('gives all there is where that is less', () => {
    expect(new BareIndex(3).walk(10)).toHaveLength(3);
  });
});
