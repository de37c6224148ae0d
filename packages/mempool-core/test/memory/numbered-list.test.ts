import { expect, test } from 'vitest';
import { NumberedList } from '../../src/memory/numbered-list.ts';

test('a list keeps the numbers of its items while the oldest leave', () => {
  const list = new NumberedList<number>();
  list.last = 5;
  expect([list.oldest, list.length, list.page(0, 10)]).toEqual([6, 0, []]);
  for (let number = 6; number <= 10_000; number++) {
    expect(list.push(number)).toBe(number);
    if (list.length > 3_000) expect(list.shift()).toBe(number - 3_000);
    expect(list.at(list.oldest)).toBe(list.oldest);
  }
  expect([list.oldest, list.last, list.length]).toEqual([7_001, 10_000, 3_000]);
  expect(list.page(1, 2)).toEqual([7_001, 7_002]);
  expect(list.page(9_999, 5)).toEqual([9_999, 10_000]);
  expect(list.page(10_001, 5)).toEqual([]);
  while (list.length > 0) list.shift();
  expect([list.oldest, list.push(0), list.at(10_001)]).toEqual([10_001, 10_001, 0]);
});
