import { expect, test } from 'vitest';
import { shortest } from '../src/histories/shrink.ts';

test('what does not matter is left out', async () => {
  const items = Array.from({ length: 200 }, (_, i) => i);
  const fails = async (some: readonly number[]) => some.includes(17) && some.includes(150);
  expect(await shortest(items, fails)).toEqual([17, 150]);
});

test('a list that fails only as a whole stays whole', async () => {
  const items = [1, 2, 3, 4, 5];
  expect(await shortest(items, async (some) => some.length === 5)).toEqual(items);
});
