import { encodeEvents } from 'mempool-core/backend';
import { expect, test } from 'vitest';
import { isSameEndpoint } from '../../src/connection/options.ts';
import { type Entry, entryMark, readEntry, Stretch } from '../../src/pool/stretch.ts';
import { point } from '../chain.ts';
import { numbers } from '../priority/priced.ts';

/** An entry whose events are blocks. `trail` is what was before it. */
function entry(last: number, size = 1, { epoch = 'epoch', at = '7' } = {}): Entry {
  const packed = encodeEvents(
    numbers(size).map((n) => ({
      kind: 'block',
      eventSeq: last - size + n,
      action: 'applied',
      point: point(n),
      tick: n,
      nodeId: null,
      term: null,
    })),
  );
  const fields = [epoch, packed, 'trail', `trail ${last - size}`, 'at', at].map((field) => Buffer.from(field));
  return readEntry(Buffer.from(`${last}-${size}`), fields);
}

function stretchOf(...entries: readonly Entry[]): Stretch {
  const stretch = new Stretch();
  for (const one of entries) expect(stretch.add(one)).toBe(true);
  return stretch;
}

const seqs = (stretch: Stretch, after: number, limit = 100, maxEvents = 1_000) =>
  stretch.read(after, limit, maxEvents)?.events.map(({ eventSeq }) => eventSeq);

test('a stretch has the events behind a number, from the middle of an entry too', () => {
  const stretch = stretchOf(entry(12, 2), entry(13), entry(16, 3));
  expect(seqs(stretch, 10)).toEqual([11, 12, 13, 14, 15, 16]);
  expect(seqs(stretch, 11)).toEqual([12, 13, 14, 15, 16]);
  expect(seqs(stretch, 13, 2)).toEqual([14, 15]);
  expect(stretch.read(10, 3, 1_000)?.newest.last).toBe(13);
  expect(stretch.last).toBe(16);
});

test('it has none where one is missing before, or nothing comes after', () => {
  const stretch = stretchOf(entry(12, 2), entry(13));
  for (const after of [0, 9, 13, 14]) expect(seqs(stretch, after)).toBeUndefined();
  expect(seqs(new Stretch(), 0)).toBeUndefined();
});

test('it does not take an entry behind a gap, again, or of another pool', () => {
  const stretch = stretchOf(entry(12, 2));
  for (const other of [entry(14), entry(12, 2), entry(14, 3), entry(13, 1, { epoch: 'other' })])
    expect(stretch.add(other)).toBe(false);
  expect(stretch.last).toBe(12);
});

test('it has no event that the log no longer keeps', () => {
  const stretch = stretchOf(entry(12, 2), entry(13), entry(14));
  expect(seqs(stretch, 10, 100, 3)).toEqual([11, 12, 13, 14]);
  expect(seqs(stretch, 10, 100, 2)).toBeUndefined();
  expect(seqs(stretch, 12, 100, 2)).toEqual([13, 14]);
});

test('it ends before a damaged entry, and has nothing that begins with one', () => {
  const damaged = { ...entry(13), packed: Buffer.from('damaged') };
  const short = { ...entry(15), from: 13 };
  const stretch = stretchOf(entry(12), damaged, short, entry(16));
  expect(seqs(stretch, 11)).toEqual([12]);
  for (const after of [12, 13, 14]) expect(seqs(stretch, after)).toBeUndefined();
  expect(seqs(stretch, 15)).toEqual([16]);
});

test('it goes on at an end of the log only if the entry behind that end had the same trail before it', () => {
  const stretch = stretchOf(entry(12, 2), entry(13));
  const end = { epoch: 'epoch', last: 12, trail: 'trail 12' };
  expect(stretch.goesOnAt(end)).toBe(true);
  expect(stretch.goesOnAt({ ...end, last: 10, trail: 'trail 10' })).toBe(true);
  for (const other of [{ trail: 'other' }, { epoch: 'other' }, { last: 11 }, { last: 13 }, { last: 3 }])
    expect(stretch.goesOnAt({ ...end, ...other })).toBe(false);
});

test('it forgets its oldest entries, by number and by size', () => {
  const stretch = stretchOf(...numbers(5_000).map((n) => entry(n)));
  expect(seqs(stretch, 2_900, 10, 10_000)).toBeUndefined();
  expect(seqs(stretch, 4_000, 2, 10_000)).toEqual([4_001, 4_002]);
  const large = { ...entry(1), packed: Buffer.alloc(1_500_000) };
  const next = stretchOf(large, { ...large, from: 1, last: 2 }, entry(3));
  expect(next.goesOnAt({ epoch: 'epoch', last: 0, trail: 'trail 0' })).toBe(false);
  expect(seqs(next, 2)).toEqual([3]);
});

test('the mark of an entry names its events, its time and what was before', () => {
  const marks = [entry(12), entry(12, 2), entry(12, 1, { at: '8' }), entry(13), entry(12, 1, { epoch: 'other' })];
  expect(new Set(marks.map(entryMark)).size).toBe(marks.length);
  expect(entryMark(entry(12))).toBe(entryMark(entry(12)));
});

test('options lead to the same place only if all of them are the same, and what may hide a secret is one object', () => {
  class Secret {
    readonly #key: string;
    constructor(key: string) {
      this.#key = key;
    }
    get isKey(): boolean {
      return this.#key !== '';
    }
  }
  const options = { url: 'redis://host', timeoutMs: 5, tls: { ca: Buffer.from('ca') }, sentinels: ['a:1', 'b:2'] };
  const same = { ...options, tls: { ca: Buffer.from('ca') }, sentinels: ['a:1', 'b:2'] };
  expect(isSameEndpoint(options, same)).toBe(true);
  const secret = new Secret('a');
  const hidden = { ...options, tls: { secureContext: { context: secret } } };
  expect(isSameEndpoint(hidden, { ...options, tls: { secureContext: { context: secret } } })).toBe(true);
  for (const other of [
    { url: 'redis://:password@host' },
    { timeoutMs: 6 },
    { tls: { ca: Buffer.from('other') } },
    { tls: {} },
    { tls: { ca: Buffer.from('ca'), key: 'key' } },
    { sentinels: ['a:1'] },
    { keyPrefix: 'other' },
  ])
    expect(isSameEndpoint(options, { ...options, ...other })).toBe(false);
  const others = { ...options, tls: { secureContext: { context: new Secret('b') } } };
  expect(isSameEndpoint(hidden, others)).toBe(false);
});
