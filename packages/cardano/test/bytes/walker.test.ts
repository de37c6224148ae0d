import { describe, expect, test } from 'vitest';
import { CborError, type CborFault } from '../../src/bytes/cbor-error.ts';
import {
  arrayItems,
  isNull,
  itemEnd,
  mapEntries,
  maxDepth,
  readBytes,
  readUnsigned,
} from '../../src/bytes/cbor-walker.ts';

const hex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** RFC 8949, appendix A: every example. */
const examples = `
  00 01 0a 17 1818 1819 1864 1903e8 1a000f4240 1b000000e8d4a51000 1bffffffffffffffff c249010000000000000000
  3bffffffffffffffff c349010000000000000000 20 29 3863 3903e7 f90000 f98000 f93c00 fb3ff199999999999a f93e00 f97bff
  fa47c35000 fa7f7fffff fb7e37e43c8800759c f90001 f90400 f9c400 fbc010666666666666 f97c00 f97e00 f9fc00 fa7f800000
  fa7fc00000 faff800000 fb7ff0000000000000 fb7ff8000000000000 fbfff0000000000000 f4 f5 f6 f7 f0 f8ff
  c074323031332d30332d32315432303a30343a30305a c11a514b67b0 c1fb41d452d9ed200000 d74401020304 d818456449455446
  d82076687474703a2f2f7777772e6578616d706c652e636f6d 40 4401020304 60 6161 6449455446 62225c 62c3bc 63e6b0b4 64f0908591
  80 83010203 8301820203820405 98190102030405060708090a0b0c0d0e0f101112131415161718181819 a0 a201020304
  a26161016162820203 826161a161626163 a56161614161626142616361436164614461656145 5f42010243030405ff
  7f657374726561646d696e67ff 9fff 9f018202039f0405ffff 9f01820203820405ff 83018202039f0405ff 83019f0203ff820405
  9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff bf61610161629f0203ffff 826161bf61626163ff
  bf6346756ef563416d7421ff`
  .trim()
  .split(/\s+/);

/** RFC 8949, appendix F: examples of what is not well-formed, and our own; the offset is that of the head at fault. */
const faults = Object.entries({
  truncated: `
    @0 18@0 1a0102@0 1b01020304050607@0 f900@0 41@0 5affffffff00@0 5b001fffffffffffff00@0 81@0 8200@0
    818181818181818181@8 a100@0 a20000@0 9b000fffffffffffff00@0 c0@0 9f@1 9f0102@3 bf@1 bf01020102@5 819f@2
    5f4100@3 7f6100@3`,
  'too-long': `
    5bffffffffffffffff010203@0 7b7fffffffffffffff010203@0 9bffffffffffffffff00@0 bb001fffffffffffff00@0
    5f5bffffffffffffffffff@1`,
  reserved: '1c@0 3d@0 5e@0 7c@0 9d@0 be@0 dc@0 fd@0 821cff@1 1f@0 3f@0 df00@0',
  'bad-simple': 'f800@0 f81f@0',
  'bad-chunk': '5f00ff@1 5f6100ff@1 7f4100ff@1 5f5f4100ffff@1 5f4100c000ff@3',
  'stray-break': 'ff@0 81ff@1 8200ff@2 a1ff00@1 a100ff@2 c0ff@1 9f81ff@2',
  'odd-map': 'bf00ff@0 bf000000ff@0 8200bf01029fffff@2',
} satisfies Partial<Record<CborFault, string>>).flatMap(([fault, rows]) =>
  Array.from(rows.trim().split(/\s+/), (row) => {
    const [digits = '', offset] = row.split('@');
    return [digits, fault as CborFault, Number(offset)] as const;
  }),
);

function faultOf(walk: () => unknown): { readonly fault: CborFault; readonly offset: number } {
  try {
    walk();
  } catch (error) {
    if (error instanceof CborError) return { fault: error.fault, offset: error.offset };
    throw error;
  }
  throw new Error('no fault was found');
}

describe('the end of an item', () => {
  test.each(examples)('%s of RFC 8949 is one item', (digits) => {
    expect(itemEnd(hex(digits), 0)).toBe(digits.length / 2);
  });

  test.each(examples)('%s is truncated at every byte before its last', (digits) => {
    const bytes = hex(digits);
    const found = Array.from(bytes, (_, end) => faultOf(() => itemEnd(bytes.subarray(0, end), 0)).fault);
    expect(new Set(found)).toEqual(new Set(['truncated']));
  });

  test.each(faults)('%s is %s at byte %i', (digits, fault, offset) => {
    expect(faultOf(() => itemEnd(hex(digits), 0))).toEqual({ fault, offset });
  });

  test.each([
    ['arrays', '81', ''],
    ['arrays without a length', '9f', 'ff'],
    ['maps', 'a100', ''],
    ['maps without a length', 'bf00', 'ff'],
    ['tags', 'c1', ''],
  ])('%s at the greatest depth are one item, and one level more is refused', (_, open, close) => {
    const nested = (depth: number) => hex(`${open.repeat(depth)}00${close.repeat(depth)}`);
    const bytes = nested(maxDepth);
    expect(itemEnd(bytes, 0)).toBe(bytes.length);
    const offset = (maxDepth * open.length) / 2;
    expect(faultOf(() => itemEnd(nested(maxDepth + 1), 0))).toEqual({ fault: 'too-deep', offset });
  });
});

describe('the items inside', () => {
  const cuts = (items: Iterable<{ bytes: Uint8Array }>) => Array.from(items, (item) => toHex(item.bytes));

  test.each([
    ['80', []],
    ['9fff', []],
    ['8301820203a10405', ['01', '820203', 'a10405']],
    ['9f01820203a10405ff', ['01', '820203', 'a10405']],
    ['9b00000000000000020102', ['01', '02']],
    ['815f4101ff', ['5f4101ff']],
  ])('of the array %s are cut in order', (digits, expected) => {
    expect(cuts(arrayItems(hex(`00${digits}00`), 1))).toEqual(expected);
  });

  test.each([
    ['a0', []],
    ['bfff', []],
    ['a241ff0102820304', ['41ff=01', '02=820304']],
    ['bf5f41ffff0102820304ff', ['5f41ffff=01', '02=820304']],
  ])('of the map %s are cut in pairs', (digits, expected) => {
    const pairs = mapEntries(hex(`00${digits}00`), 1);
    expect(Array.from(pairs, (pair) => cuts(pair).join('='))).toEqual(expected);
  });

  test.each([
    ['no array', () => arrayItems(hex('00a0'), 1), 'kind', 1],
    ['no map', () => [...mapEntries(hex('0080'), 1)], 'kind', 1],
    ['an odd map', () => [...mapEntries(hex('00bf01ff'), 1)], 'odd-map', 1],
    ['a break in an array of one', () => [...arrayItems(hex('81ff'), 0)], 'stray-break', 1],
    ['an endless array', () => [...arrayItems(hex('9f00'), 0)], 'truncated', 2],
    ['a count above 2^53', () => arrayItems(hex('9bffffffffffffffff'), 0), 'too-long', 0],
    ['a map count above 2^52', () => [...mapEntries(hex('bb0010000000000000'), 0)], 'too-long', 0],
  ] as const)('%s is a fault', (_, walk, fault, offset) => {
    expect(faultOf(walk)).toEqual({ fault, offset });
  });
});

describe('a scalar', () => {
  test.each([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1900ff', 255],
    ['1a000f4240', 1_000_000],
    ['1b000000e8d4a51000', 1_000_000_000_000],
    ['1b001fffffffffffff', Number.MAX_SAFE_INTEGER],
    ['1b0000000000000001', 1],
  ])('%s is the integer %i', (digits, expected) => {
    expect(readUnsigned(hex(digits), 0)).toBe(expected);
  });

  test.each(['1b0020000000000000', '1b0020000000000001', '1bffffffffffffffff', '20', '40', 'f4', '80'])(
    '%s is no safe unsigned integer',
    (digits) => {
      expect(faultOf(() => readUnsigned(hex(digits), 0))).toEqual({ fault: 'kind', offset: 0 });
    },
  );

  test('a byte string gives its content', () => {
    expect(toHex(readBytes(hex('0043010203ff'), 1))).toBe('010203');
  });

  test.each(['5f4101ff', '6161', '00'])('%s is no byte string in one piece', (digits) => {
    expect(faultOf(() => readBytes(hex(digits), 0))).toEqual({ fault: 'kind', offset: 0 });
  });

  test('null is null, undefined and false are not', () => {
    expect([isNull(hex('f6'), 0), isNull(hex('f7'), 0), isNull(hex('f4'), 0)]).toEqual([true, false, false]);
  });
});
