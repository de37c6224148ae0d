import { describe, expect, it } from 'vitest';
import {
  checkBlock,
  checkHash,
  checkHashes,
  checkLimit,
  checkPoint,
  checkReason,
  checkWrite,
  distinctHashes,
} from '../../src/boundary/arguments.ts';
import { checkCount } from '../../src/boundary/basic-checks.ts';
import { resolveOptions } from '../../src/boundary/open-options.ts';
import { checkTransactions, copyTransactions, readSubmissions } from '../../src/boundary/submissions.ts';
import { isMempoolError } from '../../src/contract/errors.ts';
import { defaultThresholds } from '../../src/contract/lifecycle.ts';
import type { OpenOptions } from '../../src/contract/options.ts';
import { clampLimit } from '../../src/contract/page-rules.ts';
import type { Block } from '../../src/contract/store.ts';
import type { Transaction } from '../../src/contract/transaction.ts';

const hash = 'ab'.repeat(32);
const good: Transaction = { hash, payload: new Uint8Array([1]), payloadType: 0 };
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

describe('hashes', () => {
  it.each(['ab', 'ab'.repeat(64)])('of 1–64 bytes are taken', (given) => {
    expect(checkHash('hash', given)).toBe(given);
  });

  it.each(['', 'a', 'AB', 'zz', 'ab'.repeat(65), ' ab', 7, null, undefined])('refuses %j', (given) => {
    expect(refused(() => checkHashes('hashes', ['ab', untyped(given)], 9))).toBe('hashes[1]');
  });

  it('are refused as a whole when there are too many or there is no list', () => {
    expect(refused(() => checkHashes('hashes', ['ab', 'cd'], 1))).toBe('hashes');
    expect(refused(() => checkHashes('hashes', untyped('ab'), 1))).toBe('hashes');
  });

  it('lose repeats where each counts once', () => {
    expect(distinctHashes('hashes', ['ab', 'cd', 'ab'], 9)).toEqual(['ab', 'cd']);
  });
});

describe('transactions', () => {
  it.each([
    [{ ...good, hash: 'AB' }, 'transactions[1].hash'],
    [{ ...good, payload: 'text' }, 'transactions[1].payload'],
    [{ ...good, payload: [1] }, 'transactions[1].payload'],
    [{ ...good, payloadType: -1 }, 'transactions[1].payloadType'],
    [{ ...good, payloadType: 65_536 }, 'transactions[1].payloadType'],
    [{ ...good, payloadType: 1.5 }, 'transactions[1].payloadType'],
    [null, 'transactions[1]'],
  ])('a bad one is refused by its field: %#', (bad, field) => {
    expect(refused(() => checkTransactions(readSubmissions([good, untyped(bad)]), 10))).toBe(field);
  });

  it('more than 1,000 in a call are refused (X1)', () => {
    expect(refused(() => readSubmissions(Array(1_001).fill(good)))).toBe('transactions');
    expect(readSubmissions(Array(1_000).fill(good))).toHaveLength(1_000);
  });

  it('that are larger than may be are counted', () => {
    const larger = { ...good, payload: new Uint8Array(11) };
    expect(checkTransactions(readSubmissions([good, larger, larger]), 10)).toBe(2);
  });

  it('are copied (M1)', () => {
    const payload = new Uint8Array([1, 2]);
    const [own] = copyTransactions([{ ...good, payload }]);
    payload.fill(9);
    expect([...(own?.payload ?? [])]).toEqual([1, 2]);
  });
});

describe('hashes', () => {
  it('have no other digits than 0–9 and a–f', () => {
    const digits: string[] = [];
    for (let code = 0; code < 0x1_0000; code++) {
      const digit = String.fromCharCode(code);
      if (refused(() => checkHash('hash', `a${digit}`)) === 'nothing refused') digits.push(digit);
    }
    expect(digits.join('')).toBe('0123456789abcdef');
  });
});

describe('blocks', () => {
  it.each([
    [{ ...block, point: { slot: -1, hash } }, 'block.point.slot'],
    [{ ...block, point: { slot: 2 ** 53, hash } }, 'block.point.slot'],
    [{ ...block, point: { slot: 1, hash: 'ab' } }, 'block.point.hash'],
    [{ ...block, point: null }, 'block.point'],
    [{ ...block, parent: 'ab' }, 'block.parent'],
    [{ ...block, seen: ['x'] }, 'block.seen[0]'],
    [{ ...block, unseen: 'ab' }, 'block.unseen'],
    [null, 'block'],
  ])('a bad one is refused by its field: %#', (bad, field) => {
    expect(refused(() => checkBlock(untyped(bad), {}, defaultThresholds))).toBe(field);
  });

  it.each([0, -1, Number.NaN, 1.5, Number.NEGATIVE_INFINITY, '6', 2 ** 53])('a threshold of %j is refused', (bad) => {
    expect(refused(() => checkBlock(block, { dropThreshold: untyped(bad) }, defaultThresholds))).toBe('dropThreshold');
  });

  it('name each hash once, and one that is in both lists as seen (L5)', () => {
    const checked = checkBlock(
      { ...block, seen: ['ab', 'ab', 'cd'], unseen: ['ef', 'cd', 'ef'] },
      {},
      defaultThresholds,
    );
    expect(checked).toMatchObject({ seen: ['ab', 'cd'], unseen: ['ef'], parent: null, thresholds: defaultThresholds });
  });

  it('take a list of any length (X1)', () => {
    const seen = Array.from({ length: 5_000 }, (_, i) => i.toString(16).padStart(4, '0'));
    expect(checkBlock({ ...block, seen }, {}, defaultThresholds).seen).toHaveLength(5_000);
  });
});

describe('the rest', () => {
  it('points, counts, reasons and operation ids are refused by name', () => {
    expect(refused(() => checkPoint('point', { slot: 1.5, hash }))).toBe('point.slot');
    expect(refused(() => checkCount('after', -1))).toBe('after');
    expect(['', 'x'.repeat(257), '\ud800', untyped<string>(7)].map((r) => refused(() => checkReason(r)))).toEqual(
      Array(4).fill('reason'),
    );
    expect(
      ['', 'x'.repeat(129), 'ä', untyped<string>(7)].map((id) => refused(() => checkWrite({ operationId: id }))),
    ).toEqual(Array(4).fill('operationId'));
  });

  it('a limit is clamped to 1…1,000, 100 where none is given, and never NaN (O6)', () => {
    const clamped = [undefined, 0, -7, 2.9, 1_001, Number.POSITIVE_INFINITY].map((limit) =>
      clampLimit(checkLimit(limit)),
    );
    expect(clamped).toEqual([100, 1, 1, 2, 1_000, 1_000]);
    expect(refused(() => checkLimit(Number.NaN))).toBe('limit');
  });

  it.each([
    [{ pool: '' }, 'pool'],
    [{ pool: 'a b' }, 'pool'],
    [{ finalizeThreshold: 1.5 }, 'finalizeThreshold'],
    [{ maxFinalized: 0 }, 'maxFinalized'],
    [{ maxTxBytes: -1 }, 'maxTxBytes'],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs'],
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
