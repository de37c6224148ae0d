import { describe, expect, it } from 'vitest';
import { checkHash } from '../../src/boundary/arguments.ts';
import { resolveOptions } from '../../src/boundary/open-options.ts';
import { isMempoolError } from '../../src/contract/errors.ts';
import type { OpenOptions } from '../../src/contract/options.ts';

/** The field that a refusal names; it must be one of ours. */
function refused(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (isMempoolError(error, 'ERR_MEMPOOL_INVALID')) return error.details.field;
    throw error;
  }
  return 'nothing refused';
}

/** What the type system would not let through. */
function _untyped<T>(value: unknown): T {
  return value as T;
}

// What the suite's cases of bad input (M2) and of limits (X1, O6) hand to a whole store is not said again here.
describe('an argument', () => {
  it('has no other hexadecimal digits than 0–9, A–F and a–f in its hash', () => {
    const digits: string[] = [];
    for (let code = 0; code < 0x1_0000; code++) {
      const digit = String.fromCharCode(code);
      if (refused(() => checkHash('hash', `a${digit}`)) === 'nothing refused') digits.push(digit);
    }
    expect(digits.join('')).toBe('0123456789ABCDEFabcdef');
  });

  it.each<[string, unknown]>([
    ['pool', { pool: 'a b' }],
    ['clock', { clock: 7 }],
    ['log', { log: 'file' }],
    ['election', { election: 'Watcher' }],
    ['election', { election: 'w'.repeat(65) }],
    ['fenced', { fenced: 1 }],
  ])('of an opening is refused by name: %s %#', (field, wrong) => {
    expect(refused(() => resolveOptions(wrong as OpenOptions))).toBe(field);
  });

  it('X5: the longest time to wait is what a timer can be set for: longer ones would end at once', () => {
    expect(resolveOptions({ timeoutMs: Number.MAX_SAFE_INTEGER }).timeoutMs).toBe(2 ** 31 - 1);
  });

  it('retention that is not named stays the pool’s', () => {
    expect(resolveOptions({ maxEvents: 5 }).retention).toEqual({ maxEvents: 5 });
  });
});
