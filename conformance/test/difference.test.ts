import { expect, test } from 'vitest';
import { assertSame } from '../src/histories/difference.ts';

test('equal values are the same', () => {
  assertSame({ a: [1, { b: null }] }, { a: [1, { b: null }] }, 'x');
});

test.each([
  ['a value', { a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, 'x: a.1.b is 2 instead of 3'],
  ['a missing item', [1], [1, 2], 'x: 1 is undefined instead of 2'],
  ['an item too many', [1, 2], [1], 'x: 1 is 2 instead of undefined'],
  ['another field', { a: { b: 1 } }, { a: { c: 1 } }, 'x: a is { b: 1 } instead of { c: 1 }'],
  ['another kind', 1, '1', "x: the value is 1 instead of '1'"],
])('%s is named by its place', (_, actual, expected, message) => {
  expect(() => assertSame(actual, expected, 'x')).toThrow(message);
});
