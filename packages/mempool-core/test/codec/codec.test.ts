import { Random, seed } from 'mempool-testkit';
import { describe, expect, it } from 'vitest';
import { decodePoint, encodePoint, encodeValue, payloadChecksum } from '../../src/codec/codec.ts';
import { decodeEvents } from '../../src/codec/event-decoder.ts';
import { encodeEvents } from '../../src/codec/event-encoder.ts';
import { decodeOutcome, encodeOutcome } from '../../src/codec/outcome-record.ts';
import type { MempoolErrorCode } from '../../src/contract/errors.ts';
import type { StoreEvent } from '../../src/contract/events.ts';

const corrupt = expect.objectContaining({ code: 'ERR_MEMPOOL_CORRUPT' satisfies MempoolErrorCode });

const at = 1_780_000_000_123;

/** Format 1 (N2). */
const sample = {
  point: { slot: 4_492_800, hash: '2d'.repeat(32) },
  pointHex: `0000000000448e00${'2d'.repeat(32)}`,
  events: [
    {
      kind: 'block',
      eventSeq: 41,
      at,
      action: 'applied',
      point: { slot: 4_492_800, hash: '2d'.repeat(32) },
      tick: 7,
      nodeId: null,
      term: null,
    },
    {
      kind: 'transaction',
      eventSeq: 42,
      at,
      hash: 'c0ffee',
      seq: 300,
      stage: 'Confirmed',
      cause: 'seen',
      previous: { stage: 'Acknowledged', confirmations: 0, nonConfirmations: 1 },
      confirmations: 1,
      nonConfirmations: 0,
      point: { slot: 4_492_800, hash: '2d'.repeat(32) },
      reason: null,
      attempts: 0,
      receivedAt: null,
    },
    {
      kind: 'transaction',
      eventSeq: 43,
      at,
      hash: 'ab',
      seq: 301,
      stage: 'Dropped',
      cause: 'block',
      previous: { stage: 'Propagated', confirmations: 0, nonConfirmations: 1 },
      confirmations: 0,
      nonConfirmations: 2,
      point: null,
      reason: 'stale',
      attempts: 0,
      receivedAt: null,
    },
  ] as const satisfies StoreEvent[],
  eventsHex: [
    '83',
    `8500582800000000${'00448e00'}${'2d'.repeat(32)}07f6f6`,
    `8d43c0ffee19012c030200010100582800000000${'00448e00'}${'2d'.repeat(32)}f60600f6`,
    '8d41ab19012d050100010002f6657374616c650800f6',
  ].join(''),
};

describe('stored bytes', () => {
  it('are those of format 1', () => {
    expect(encodePoint(sample.point).toString('hex')).toBe(sample.pointHex);
    expect(encodeEvents(sample.events).toString('hex')).toBe(sample.eventsHex);
    expect(decodePoint(Buffer.from(sample.pointHex, 'hex'))).toEqual(sample.point);
    expect(decodeEvents(Buffer.from(sample.eventsHex, 'hex'), 43, at)).toEqual(sample.events);
  });

  it('have the CRC-32 that zlib and Redis scripts compute', () => {
    expect(payloadChecksum(Buffer.from('123456789'))).toBe(0xcbf43926);
    expect(payloadChecksum(Buffer.from('6789'), payloadChecksum(Buffer.from('12345')))).toBe(0xcbf43926);
    for (const nothing of [new Uint8Array(0), new Uint8Array(new ArrayBuffer(0))]) {
      expect(payloadChecksum(nothing)).toBe(0);
      expect(payloadChecksum(nothing, 0xcbf43926)).toBe(0xcbf43926);
    }
  });
});

it(`an answer about a thousand transactions has few bytes, and any part of an event is damage (seed ${seed})`, () => {
  const chance = new Random(seed);
  const hashes = Array.from({ length: 1_000 }, () => chance.hex(32));
  let seq = 41;
  const received = hashes.map((hash, i) => {
    if (i % 7 === 6) return { kind: 'full', hash };
    if (i % 3 === 0) return { kind: 'duplicate', hash, stage: 'Acknowledged' };
    return { kind: 'received', hash, seq: seq++, stage: i % 2 === 0 ? 'Pending' : 'Confirmed' };
  });
  const record = encodeOutcome('receive', received);
  expect(decodeOutcome('receive', record)).toEqual(received);
  expect(record.length).toBeLessThan(35 * hashes.length);
  const events = encodeEvents(sample.events);
  for (let end = 0; end < events.length; end++)
    expect(() => decodeEvents(events.subarray(0, end), 43, at)).toThrow(corrupt);
});

/** A block event whose tick is written as a CBOR integer of eight bytes. */
const blockEvent = (tick: string): Buffer => Buffer.from(`8185005828${sample.pointHex}1b${tick}f6f6`, 'hex');

it('integers of eight bytes are read as numbers', () => {
  const decoded = [blockEvent('0000000100000005'), blockEvent('001fffffffffffff')].map((row) =>
    decodeEvents(row, 9, at),
  );
  expect(decoded).toMatchObject([[{ tick: 2 ** 32 + 5 }], [{ tick: Number.MAX_SAFE_INTEGER }]]);
  expect(decodeOutcome('drop', Buffer.from('826464726f701b0000000100000000', 'hex'))).toBe(2 ** 32);
});

describe('what has another shape is damage (M2)', () => {
  const hash = new Uint8Array(1);
  it.each<[string, unknown]>([
    ['a text', 'text'],
    ['a number', 7],
    ['nothing', null],
    ['no list', {}],
    ['a number as an event', [1]],
    ['an empty event', [[]]],
    ['a point that is no bytes', [[0, 'no bytes', 1, null, null]]],
    ['an action that there is not', [[9, new Uint8Array(40), 1, null, null]]],
    ['a stage that there is not', [[hash, 1, 99, 0, 0, 0, 0, 0, null, null, 0, 0, null]]],
    ['a cause that there is not', [[hash, 1, 0, 6, 0, 0, 0, 0, null, null, 99, 0, null]]],
    ['a time that is no number', [[hash, 1, 0, 6, 0, 0, 0, 0, null, null, 0, 0, 'now']]],
    ['a field less', [[hash, 1, 0, 6, 0, 0, 0, 0, null, null, 0, 0]]],
    ['a node without a term', [[0, new Uint8Array(40), 1, 7, null]]],
  ])('as events: %s', (_, shape) => {
    expect(() => decodeEvents(encodeValue(shape), 1, at)).toThrow(corrupt);
  });

  const packed = Buffer.from('02abcd', 'hex');
  it.each<[string, unknown[]]>([
    ['no answer', []],
    ['half of a hash', [packed.subarray(0, 2)]],
    ['hashes of no length', [Buffer.from('00', 'hex')]],
    ['a code too many', [packed, Buffer.alloc(2), 1]],
    ['a code that there is not', [packed, Buffer.of(9), 1]],
    ['a seq that is no number', [packed, Buffer.of(5), 'one']],
    ['codes that are no bytes', [packed, 5, 1]],
  ])('as an outcome: %s', (_, row) => {
    expect(() => decodeOutcome('drop', encodeValue(['drop', ...row]))).toThrow(corrupt);
  });

  it('as a tick that is no safe integer, a time that is none, a point of 39 bytes', () => {
    for (const tick of ['0020000000000000', 'ffffffffffffffff'])
      expect(() => decodeEvents(blockEvent(tick), 9, at)).toThrow(corrupt);
    expect(() => decodeEvents(encodeValue([]), 0, Number.NaN)).toThrow(corrupt);
    expect(() => decodePoint(new Uint8Array(39))).toThrow(corrupt);
  });
});
