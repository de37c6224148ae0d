import { describe, expect, it } from 'vitest';
import { checkBlock, checkHash, checkHashes, checkLimit } from '../../src/boundary/arguments.ts';
import { resolveOptions } from '../../src/boundary/open-options.ts';
import { isMempoolError } from '../../src/contract/errors.ts';
import { defaultThresholds } from '../../src/contract/lifecycle.ts';
import type { OpenOptions } from '../../src/contract/options.ts';
import { clampLimit } from '../../src/contract/page-rules.ts';
import type { Block } from '../../src/contract/store.ts';

const hash = 'ab'.repeat(32);
const block: Block = { point: { slot: 1, hash }, seen: [], unseen: [] };

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
function untyped<T>(value: unknown): T {
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

  it.each(['ab0d', 'AB0D', 'aB0d', '0xab0d', '0xAB0D', '0XAB0D'])('has one form of the hash %s (M2)', (given) => {
    expect([checkHash('hash', given), ...checkHashes('hashes', [given], 1)]).toEqual(['ab0d', 'ab0d']);
  });

  it('may have a hash of 64 bytes in every form, and no longer one', () => {
    const [longest, longer] = ['ab'.repeat(64), 'ab'.repeat(65)];
    expect(checkHash('hash', `0x${longest.toUpperCase()}`)).toBe(longest);
    expect(refused(() => checkHash('hash', `0x${longer}`))).toBe('hash');
  });

  it.each([`0x${hash}`, hash.toUpperCase()])('has one form of the hash of a block (M2): %s', (given) => {
    const { point, parent } = checkBlock(
      { ...block, point: { slot: 1, hash: given }, parent: given },
      {},
      defaultThresholds,
    );
    expect([point.hash, parent]).toEqual([hash, hash]);
  });

  it.each([' ab', 'a', '0x', '0xa', '0x0xab', 'ab0x', null, undefined])('is no hash: %j', (given) => {
    expect(refused(() => checkHashes('hashes', ['ab', untyped(given)], 9))).toBe('hashes[1]');
  });

  it.each([
    [{ ...block, point: null }, 'block.point'],
    [{ ...block, unseen: 'ab' }, 'block.unseen'],
  ])('is no block: %#', (bad, field) => {
    expect(refused(() => checkBlock(untyped(bad), {}, defaultThresholds))).toBe(field);
  });

  it.each([-1, Number.NEGATIVE_INFINITY, '6', 2 ** 53])('is no threshold: %j', (bad) => {
    expect(refused(() => checkBlock(block, { dropThreshold: untyped(bad) }, defaultThresholds))).toBe('dropThreshold');
  });

  it('may be a limit that is no whole number: it is rounded down (O6)', () => {
    expect([2.9, -7].map((limit) => clampLimit(checkLimit(limit)))).toEqual([2, 1]);
  });

  it.each([
    [{ pool: '' }, 'pool'],
    [{ pool: 'a b' }, 'pool'],
    [{ clock: 7 }, 'clock'],
    [{ log: 'file' }, 'log'],
  ])('an open option is refused by name: %j', (bad, field) => {
    expect(refused(() => resolveOptions(untyped<OpenOptions>(bad)))).toBe(field);
  });

  it('X5: the longest time to wait is what a timer can be set for: longer ones would end at once', () => {
    expect(resolveOptions({ timeoutMs: Number.MAX_SAFE_INTEGER }).timeoutMs).toBe(2 ** 31 - 1);
  });

  it('retention that is not named stays the pool’s', () => {
    expect(resolveOptions({ maxEvents: 5 }).retention).toEqual({ maxEvents: 5 });
  });
});
