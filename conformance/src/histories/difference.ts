import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';

interface Difference {
  readonly path: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

/**
 * Strict deep equality for large values. It names the first difference; `assert.deepEqual` would take minutes to print a long
 * one.
 *
 * @throws AssertionError
 */
export function assertSame(actual: unknown, expected: unknown, message: string): void {
  const difference = firstDifference(actual, expected, '');
  if (difference === null) return;
  const [is, due] = [difference.actual, difference.expected].map((value) => inspect(value, { depth: 3 }));
  throw new AssertionError({ ...difference, message: `${message}: ${difference.path} is ${is} instead of ${due}` });
}

function firstDifference(actual: unknown, expected: unknown, path: string): Difference | null {
  if (isDeepStrictEqual(actual, expected)) return null;
  if (isBranch(actual) && isBranch(expected) && haveSameKeys(actual, expected))
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const inside = firstDifference(actual[key], expected[key], path === '' ? key : `${path}.${key}`);
      if (inside !== null) return inside;
    }
  return { path: path === '' ? 'the value' : path, actual, expected };
}

/** Lists of different lengths differ at their first different item. Records with different fields differ as a whole. */
function haveSameKeys(actual: object, expected: object): boolean {
  return Array.isArray(actual) || isDeepStrictEqual(Object.keys(actual).sort(), Object.keys(expected).sort());
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}
