import { Random, seed } from 'mempool-testkit';
import { describe, expect, it } from 'vitest';
import {
  bytesToHash,
  decodePoint,
  decodeValue,
  encodePoint,
  encodeValue,
  hashToBytes,
  payloadChecksum,
} from '../../src/codec/codec.ts';
import { decodeEntry, encodeEntry } from '../../src/codec/entry-record.ts';
import { decodeEvents } from '../../src/codec/event-decoder.ts';
import { encodeEvents } from '../../src/codec/event-encoder.ts';
import { decodeOutcome, encodeOutcome } from '../../src/codec/outcome-record.ts';
import { causes } from '../../src/contract/cause.ts';
import type { DropReason } from '../../src/contract/drop-reason.ts';
import type { MempoolErrorCode } from '../../src/contract/errors.ts';
import type { StoreEvent, TransactionEvent } from '../../src/contract/events.ts';
import { type ChainPoint, knownStages } from '../../src/contract/transaction.ts';
import { defaultVerdict } from '../../src/contract/verdict.ts';

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

describe(`round trips (MEMPOOL_TEST_SEED=${seed})`, () => {
  const chance = new Random(seed);
  const safe = (): number => chance.pick([0, 1, 23, 24, 255, 65_536, 2 ** 32, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER]);
  const point = (): ChainPoint => ({ slot: safe(), hash: chance.hex(32) });

  function transactionEvent(eventSeq: number): TransactionEvent {
    return {
      kind: 'transaction',
      eventSeq,
      at,
      hash: chance.hex(1 + chance.below(64)),
      seq: safe(),
      stage: chance.pick(knownStages),
      cause: chance.pick(causes),
      previous: {
        stage: chance.pick([...knownStages, 'Unknown'] as const),
        confirmations: safe(),
        nonConfirmations: safe(),
      },
      confirmations: safe(),
      nonConfirmations: safe(),
      point: chance.pick([null, point()]),
      reason: chance.pick<DropReason | null>([
        null,
        'stale',
        { app: 'Gebühr zu niedrig 🙂' },
        { app: 'x'.repeat(256) },
      ]),
      attempts: safe(),
      receivedAt: chance.pick([null, 1, at, Number.MAX_SAFE_INTEGER]),
      ...chance.pick([{}, { replacedBy: chance.hex(64) }]),
    };
  }

  function placeEvent(eventSeq: number): StoreEvent {
    const base = { eventSeq, at, hash: chance.hex(32), seq: safe() };
    return chance.below(2) === 0 ? { kind: 'ready', ...base } : { kind: 'parked', ...base, reason: 'held' };
  }

  function event(eventSeq: number): StoreEvent {
    const action = chance.pick(['applied', 'undone'] as const);
    if (chance.below(3) > 0) return chance.below(4) === 0 ? placeEvent(eventSeq) : transactionEvent(eventSeq);
    const leader = chance.pick([
      { nodeId: null, term: null },
      { nodeId: 'n'.repeat(128), term: Number.MAX_SAFE_INTEGER },
    ]);
    return { kind: 'block', eventSeq, at, action, point: point(), tick: safe(), ...leader };
  }

  it('of hashes, 1–64 bytes', () => {
    for (let bytes = 1; bytes <= 64; bytes++) {
      const hash = chance.hex(bytes);
      expect(bytesToHash(hashToBytes(hash))).toBe(hash);
    }
  });

  it('of points', () => {
    for (let i = 0; i < 200; i++) {
      const given = point();
      expect(decodePoint(encodePoint(given))).toEqual(given);
    }
  });

  it('of the events of a call', () => {
    for (let i = 0; i < 100; i++) {
      const first = 1 + chance.below(1_000_000);
      const events = Array.from({ length: chance.below(40) }, (_, n) => event(first + n));
      expect(decodeEvents(encodeEvents(events), first + events.length - 1, at)).toEqual(events);
    }
  });

  it('of counts that a damaged tick made negative', () => {
    const events = [-1, -25, -70_000].map((n, i) => ({ ...transactionEvent(i + 1), nonConfirmations: n }));
    expect(decodeEvents(encodeEvents(events), 3, at)).toEqual(events);
  });

  it('of arrivals, as the events that they are', () => {
    const hashes = [1, 20, 24, 32, 64].map((bytes) => chance.hex(bytes));
    const first = chance.pick([1, 22, 254, 65_534, 2 ** 32 - 2, 2 ** 40]);
    const events = hashes.map(
      (hash, i): TransactionEvent => ({
        kind: 'transaction',
        eventSeq: i + 1,
        at,
        hash,
        seq: first + i,
        stage: 'Pending',
        cause: 'received',
        previous: { stage: 'Unknown', confirmations: 0, nonConfirmations: 0 },
        confirmations: 0,
        nonConfirmations: 0,
        point: null,
        reason: null,
        attempts: 0,
        receivedAt: at,
      }),
    );
    const encoded = encodeEvents(events.map((event) => ({ ...event, receivedAt: 0 })));
    expect(decodeEvents(encoded, hashes.length, at)).toEqual(events);
  });

  it('of outcomes', () => {
    const outcome = { kind: 'applied', tip: { point: point(), tick: safe() }, confirmed: 3, list: [chance.hex(32)] };
    expect(decodeOutcome('confirm', encodeOutcome('confirm', outcome))).toEqual(outcome);
  });

  it('of outcomes that are lists, in few bytes', () => {
    const hashes = Array.from({ length: 1_000 }, () => chance.hex(32));
    const stages = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'] as const;
    let seq = 41;
    const received = hashes.map((hash, i) => {
      if (i % 7 === 6) return { kind: 'full', hash };
      if (i % 3 === 0) return { kind: 'duplicate', hash, stage: stages[i % 5] };
      return { kind: 'received', hash, seq: seq++, stage: i % 2 === 0 ? 'Pending' : 'Confirmed' };
    });
    const record = encodeOutcome('receive', received);
    expect(decodeOutcome('receive', record)).toEqual(received);
    expect(record.length).toBeLessThan(35 * hashes.length);
    expect(decodeOutcome('drop', encodeOutcome('drop', hashes))).toEqual(hashes);
    for (const list of [[], ['ab'], ['ab', chance.hex(64)]])
      expect(decodeOutcome('drop', encodeOutcome('drop', list))).toEqual(list);
  });

  it('of outcomes whose numbers have gaps', () => {
    const received = [1, 3].map((seq) => ({ kind: 'received', hash: chance.hex(32), seq, stage: 'Pending' }));
    expect(decodeOutcome('receive', encodeOutcome('receive', received))).toEqual(received);
  });

  it('of a floor', () => {
    const floors = [{ kind: 'open' }, { kind: 'at-least', priority: 7n }, { kind: 'closed' }];
    const outcome = floors.map((floor) => ({ kind: 'full', hash: chance.hex(32), floor }));
    expect(decodeOutcome('receive', encodeOutcome('receive', outcome))).toEqual(outcome);
  });

  it('never give a decoded event for damaged bytes without saying so', () => {
    const bytes = encodeEvents([transactionEvent(1), event(2)]);
    for (let i = 0; i < 300; i++) {
      const damaged = Buffer.from(bytes.subarray(0, chance.below(bytes.length)));
      expect(() => decodeEvents(damaged, 2, at)).toThrow(corrupt);
    }
  });
});

describe('integers of eight bytes', () => {
  /** A block event whose tick is written as a CBOR integer of eight bytes. */
  const blockEvent = (tick: string): Buffer => Buffer.from(`8185005828${sample.pointHex}1b${tick}f6f6`, 'hex');

  it('are read as numbers in events', () => {
    const tick = 2 ** 32 + 5;
    const told = { kind: 'block', eventSeq: 9, action: 'applied', point: sample.point, tick, nodeId: null, term: null };
    expect(decodeEvents(blockEvent('0000000100000005'), 9, at)).toEqual([{ ...told, at }]);
    expect(decodeEvents(blockEvent('001fffffffffffff'), 9, at)).toMatchObject([{ tick: Number.MAX_SAFE_INTEGER }]);
  });

  it('are read as numbers in outcomes', () => {
    const record = Buffer.from('826464726f701b0000000100000000', 'hex');
    expect(decodeOutcome('drop', record)).toBe(2 ** 32);
  });

  it('are damage where they are not safe (M2)', () => {
    for (const tick of ['0020000000000000', 'ffffffffffffffff'])
      expect(() => decodeEvents(blockEvent(tick), 9, at)).toThrow(corrupt);
  });
});

describe('reading back', () => {
  it('refuses what has another shape (M2)', () => {
    const shapes: unknown[] = [
      'text',
      7,
      null,
      {},
      [1],
      [[]],
      [[0, 'no bytes', 1, null, null]],
      [[9, new Uint8Array(40), 1, null, null]],
    ];
    for (const shape of shapes) expect(() => decodeEvents(encodeValue(shape), 1, at)).toThrow(corrupt);
    expect(() => decodeEvents(encodeValue([]), 0, Number.NaN)).toThrow(corrupt);
    expect(() => decodePoint(new Uint8Array(39))).toThrow(corrupt);
    const packed = Buffer.from('02abcd', 'hex');
    const rows = [
      ['drop'],
      ['drop', packed.subarray(0, 2)],
      ['drop', Buffer.from('00', 'hex')],
      ['drop', packed, Buffer.alloc(2), 1],
      ['drop', packed, Buffer.of(9), 1],
      ['drop', packed, Buffer.of(5), 'one'],
      ['drop', packed, 5, 1],
    ];
    for (const row of rows) expect(() => decodeOutcome('drop', encodeValue(row))).toThrow(corrupt);
  });

  it('refuses an event with a stage, a cause or a time there is none of', () => {
    const hash = new Uint8Array(1);
    const rows = [
      [hash, 1, 99, 0, 0, 0, 0, 0, null, null, 0, 0, null],
      [hash, 1, 0, 6, 0, 0, 0, 0, null, null, 99, 0, null],
      [hash, 1, 0, 6, 0, 0, 0, 0, null, null, 0, 0, 'now'],
      [hash, 1, 0, 6, 0, 0, 0, 0, null, null, 0, 0],
      [0, new Uint8Array(40), 1, 7, null],
    ];
    for (const row of rows) expect(() => decodeEvents(encodeValue([row]), 1, at)).toThrow(corrupt);
  });

  it('refuses an outcome recorded for another verb (X2)', () => {
    const record = encodeOutcome('drop', []);
    expect(() => decodeOutcome('release', record)).toThrow(
      expect.objectContaining({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'operationId' } }),
    );
  });

  it('refuses an outcome recorded for other arguments, and names the hashes of a receive (X2)', () => {
    const [digest, other] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
    const received = [{ kind: 'received', hash: 'aa', seq: 1, stage: 'Pending' }];
    const refused = (details: object) => expect.objectContaining({ code: 'ERR_MEMPOOL_INVALID', details });
    const record = encodeOutcome('receive', received, digest);
    expect(decodeOutcome('receive', record, digest)).toEqual(received);
    const named = refused({ field: 'operationId', hashes: ['aa'] });
    expect(() => decodeOutcome('receive', record, other)).toThrow(named);
    const moved = encodeOutcome('release', ['aa'], digest);
    expect(() => decodeOutcome('release', moved, other)).toThrow(refused({ field: 'operationId' }));
  });

  it('returns an outcome that was recorded without its arguments, whatever they are now (X2)', () => {
    const record = encodeOutcome('release', ['aa']);
    expect(decodeOutcome('release', record, Buffer.alloc(16, 1))).toEqual(['aa']);
  });

  it('records a claim without its transactions', () => {
    const { transactions, ...claim } = { claimId: 'call 1', owner: 'relayer', untilMs: 5, transactions: [] };
    expect(decodeOutcome('take', encodeOutcome('take', { ...claim, transactions }))).toEqual(claim);
  });

  it('reads claims, and refuses damaged ones', () => {
    const times = { version: 1, admittedAt: 1, admittedHeight: 0, checkedHeight: 0, gossipSeq: 1 };
    const entry = { hash: 'aa', seq: 1, bytes: 2, verdict: defaultVerdict, sources: [], ...times };
    const claim = { id: 'c', owner: 'o', untilMs: 5 };
    for (const given of [null, claim])
      expect(decodeEntry('aa', 1, encodeEntry({ ...entry, claim: given }))).toEqual({ ...entry, claim: given });
    const row = decodeValue('entry', encodeEntry({ ...entry, claim })) as readonly unknown[];
    expect(row.at(-1)).toEqual(['c', 'o', 5]);
    for (const wrong of [
      ['c', 'o'],
      ['c', 'o', '5'],
      ['c', 'o', 5, true],
    ])
      expect(() => decodeEntry('aa', 1, encodeValue([...row.slice(0, -1), wrong]))).toThrow(corrupt);
  });

  it('gives bytes that stay as they are when the source is overwritten', () => {
    const given = encodePoint(sample.point);
    const decoded = decodePoint(given);
    given.fill(0);
    expect(decoded).toEqual(sample.point);
  });
});
