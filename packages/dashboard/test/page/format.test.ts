import { expect, test } from 'vitest';
import {
  formatBig,
  formatBytes,
  formatCount,
  formatMoney,
  formatPerMinute,
  formatShare,
} from '../../page/format/numbers.ts';
import { formatAge, formatDuration } from '../../page/format/times.ts';
import { leadingReason, shortHash } from '../../page/format/words.ts';

const table = <T>(format: (value: T) => string, rows: readonly (readonly [T, string])[]): void => {
  for (const [value, text] of rows) expect([value, format(value)]).toEqual([value, text]);
};

test('numbers keep their value and what is not known is a dash', () => {
  table(formatCount, [
    [0, '0'],
    [1_234_567, '1,234,567'],
    [null, '–'],
  ]);
  table(formatPerMinute, [
    [0, '0'],
    [1.2, '1.2'],
    [30, '30'],
    [6_000, '6,000'],
  ]);
  table(formatBig, [
    ['-9223372036854775808', '-9,223,372,036,854,775,808'],
    ['9223372036854775807', '9,223,372,036,854,775,807'],
    ['<b>', '<b>'],
  ]);
  expect(['-12345', '0', '5', '123456789'].map((units) => formatMoney(units, 2))).toEqual([
    '-123.45',
    '0.00',
    '0.05',
    '1,234,567.89',
  ]);
  expect(formatMoney('-12345', 0)).toBe('-12,345');
  table(formatBytes, [
    [0, '0 B'],
    [1_023, '1,023 B'],
    [1_536, '1.5 KiB'],
    [268_435_456, '256 MiB'],
  ]);
});

test('a share is never rounded up to full, nor down to nothing', () => {
  expect(formatShare(0, 300)).toBe('0%');
  expect(formatShare(1, 300)).toBe('<1%');
  expect(formatShare(299.9, 300)).toBe('99%');
  expect(formatShare(300, 300)).toBe('100%');
  expect(formatShare(1, 0)).toBe('–');
});

test('durations have two units at most, and no unit is full', () => {
  table(formatDuration, [
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [999.6, '1.0 s'],
    [3_599_400, '59 min 59 s'],
    [3_599_900, '1 h'],
    [86_399_000, '1 d'],
    [3_600_000, '1 h'],
    [90_000_000, '1 d 1 h'],
    [null, '–'],
  ]);
  table(formatAge, [
    [-5, 'now'],
    [2_000, '2 s'],
    [119_999, '1 min'],
    [86_400_000, '1 d'],
  ]);
});

test('the first reason is the most frequent one, as people know it', () => {
  expect(leadingReason({})).toBeNull();
  expect(leadingReason({ invalid: 2, 'app:too late': 3 })).toEqual({ name: 'too late', count: 3 });
  expect(leadingReason({ stale: 2, expired: 2 })?.name).toBe('expired');
  expect(shortHash('ab')).toBe('ab');
  expect(shortHash('0123456789'.repeat(6))).toBe('0123456789…456789');
});
