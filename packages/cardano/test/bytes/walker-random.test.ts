import { randomInt } from 'node:crypto';
import { Random } from 'cardano-chains';
import * as writer from 'cardano-chains/cbor';
import { expect, test } from 'vitest';
import { CborError } from '../../src/bytes/cbor-error.ts';
import { arrayItems, itemEnd, mapEntries } from '../../src/bytes/cbor-walker.ts';

/** Set MEMPOOL_TEST_SEED to the seed in a failing title to see the same bytes again. */
const seed = Number(process.env.MEMPOOL_TEST_SEED ?? randomInt(2 ** 32));
const rounds = 2_000;

const scalars = [
  'f4',
  'f6',
  'f7',
  'f0',
  'f8ff',
  'f93c00',
  'fa47c35000',
  'fb3ff199999999999a',
  '20',
  '3903e7',
  '1bffffffffffffffff',
];

const makers: readonly ((random: Random, depth: number) => Uint8Array)[] = [
  (random) => writer.unsigned(random.between(0, 2 ** random.between(0, 53) - 1)),
  (random) => writer.byteString(random.bytes(random.between(0, 40))),
  (random) => writer.text('é'.repeat(random.between(0, 20))),
  (random) => Buffer.from(scalars[random.between(0, scalars.length - 1)] ?? '00', 'hex'),
  (random) => writer.wideUnsigned(random.next()),
  (random) => writer.chunkedByteString(random.bytes(random.between(0, 40)), random.between(1, 30)),
  (random) => writer.chunkedText(Array.from({ length: random.between(0, 3) }, () => 'text')),
  (random, depth) => writer.array(items(random, depth)),
  (random, depth) => writer.indefiniteArray(items(random, depth)),
  (random, depth) => writer.map(entries(random, depth)),
  (random, depth) => writer.indefiniteMap(entries(random, depth)),
  (random, depth) => writer.tagged(random.between(0, 70_000), item(random, depth + 1)),
];

function item(random: Random, depth: number): Uint8Array {
  const make = makers[random.between(0, depth > 4 ? 6 : makers.length - 1)];
  if (make === undefined) throw new RangeError('no such maker');
  return make(random, depth);
}

function items(random: Random, depth: number): Uint8Array[] {
  return Array.from({ length: random.between(0, 4) }, () => item(random, depth + 1));
}

function entries(random: Random, depth: number): (readonly [Uint8Array, Uint8Array])[] {
  return items(random, depth).map((key) => [key, item(random, depth + 1)] as const);
}

/** The pseudocode of RFC 8949, appendix C, word for word: the end of the item at 0, or `null` where it is not well-formed. */
function referenceEnd(bytes: Uint8Array): number | null {
  let at = 0;
  const fail = new Error('not well-formed');
  const take = (count: number): number => {
    if (at + count > bytes.length) throw fail;
    let value = 0;
    for (const end = at + count; at < end; at += 1) value = value * 256 + (bytes[at] ?? 0);
    return value;
  };
  const skip = (count: number): void => {
    if (at + count > bytes.length) throw fail;
    at += count;
  };
  const wellFormed = (breakable: boolean): number => {
    const initial = take(1);
    const major = initial >> 5;
    const info = initial & 0x1f;
    if (info === 31) return wellFormedIndefinite(major, breakable);
    if (info > 27) throw fail;
    const value = info < 24 ? info : take(2 ** (info - 24));
    if (major === 2 || major === 3) skip(value);
    if (major === 4) for (let left = value; left > 0; left -= 1) wellFormed(false);
    if (major === 5) for (let left = value * 2; left > 0; left -= 1) wellFormed(false);
    if (major === 6) wellFormed(false);
    if (major === 7 && info === 24 && value < 32) throw fail;
    return major;
  };
  const wellFormedIndefinite = (major: number, breakable: boolean): number => {
    if (major === 7 && breakable) return -1;
    if (major < 2 || major > 5) throw fail;
    for (let inner = wellFormed(true); inner !== -1; inner = wellFormed(true)) {
      if (major < 4 && inner !== major) throw fail;
      if (major === 5) wellFormed(false);
    }
    return 99;
  };
  try {
    wellFormed(false);
    return at;
  } catch (error) {
    if (error === fail) return null;
    throw error;
  }
}

function walkedEnd(bytes: Uint8Array): number | CborError {
  try {
    return itemEnd(bytes, 0);
  } catch (error) {
    if (error instanceof CborError) return error;
    throw error;
  }
}

function damage(random: Random, bytes: Uint8Array): Uint8Array {
  const damaged = Uint8Array.from(bytes);
  damaged[random.between(0, bytes.length - 1)] = random.between(0, 255);
  return damaged;
}

test(`random arrays and maps fall apart into what they were made of (seed ${seed})`, () => {
  const random = new Random(seed);
  for (let round = 0; round < rounds; round += 1) {
    const made = items(random, 0);
    const pairs = entries(random, 0);
    for (const array of [writer.array(made), writer.indefiniteArray(made)]) {
      expect(Array.from(arrayItems(array, 0), ({ bytes }) => Buffer.from(bytes))).toEqual(
        made.map((part) => Buffer.from(part)),
      );
    }
    for (const map of [writer.map(pairs), writer.indefiniteMap(pairs)]) {
      const cut = Array.from(mapEntries(map, 0), (pair) => pair.map(({ bytes }) => Buffer.from(bytes)));
      expect(cut).toEqual(pairs.map((pair) => pair.map((part) => Buffer.from(part))));
    }
  }
});

test(`damaged and arbitrary bytes are judged as RFC 8949 judges them (seed ${seed})`, () => {
  const random = new Random(seed);
  const verdicts = { whole: 0, faulty: 0 };
  for (let round = 0; round < rounds * 5; round += 1) {
    const bytes = random.chance(70) ? damage(random, item(random, 0)) : random.bytes(random.between(0, 12));
    const expected = referenceEnd(bytes);
    const found = walkedEnd(bytes);
    expect(typeof found === 'number' ? found : null, Buffer.from(bytes).toString('hex')).toBe(expected);
    verdicts[expected === null ? 'faulty' : 'whole'] += 1;
  }
  expect(Math.min(verdicts.whole, verdicts.faulty)).toBeGreaterThan(rounds / 4);
});

test(`more bytes cure what is truncated, and nothing else (seed ${seed})`, () => {
  const random = new Random(seed);
  for (let round = 0; round < rounds; round += 1) {
    const bytes = damage(random, item(random, 0));
    const found = walkedEnd(bytes);
    if (typeof found === 'number' || found.fault === 'truncated') continue;
    const more = walkedEnd(Buffer.concat([bytes, random.bytes(random.between(1, 40))]));
    expect(more, Buffer.from(bytes).toString('hex')).toMatchObject({ fault: found.fault, offset: found.offset });
  }
});
