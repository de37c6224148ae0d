import { blake2b } from '@noble/hashes/blake2.js';
import { encodeSyntheticChain } from 'cardano-chains';
import {
  array,
  byteString,
  indefiniteArray,
  indefiniteMap,
  map,
  nullItem,
  unsigned,
  wideUnsigned,
} from 'cardano-chains/cbor';
import { describe, expect, test } from 'vitest';
import { type ChainBlock, readBlock } from '../../src/block/block.ts';
import { BlockError } from '../../src/block/block-error.ts';

interface Parts {
  readonly era: Uint8Array;
  readonly header: Uint8Array;
  readonly bodies: Uint8Array;
  readonly witnesses: Uint8Array;
  readonly auxiliary: Uint8Array;
  readonly invalid: Uint8Array;
}

const number = 7;
const slot = 1_000;
const place = { number, slot };
const parent = Uint8Array.from({ length: 32 }, (_, index) => index);
const signature = byteString(Uint8Array.of(1, 2, 3));
const name = byteString(Uint8Array.of(0xff, 0xfe));
const bodyA = indefiniteMap([[name, unsigned(1)]]);
const bodyB = map([[wideUnsigned(2), indefiniteArray([name])]]);
const witnessA = map([[unsigned(0), indefiniteArray([])]]);
const witnessB = Buffer.from('bf005f4101420203ffff', 'hex');
const auxiliaryB = Buffer.from('a119029f9f7f61616162ffff', 'hex');

const whole: Parts = {
  era: unsigned(6),
  header: headerWith([unsigned(number), unsigned(slot), byteString(parent), name]),
  bodies: array([bodyA, bodyB]),
  witnesses: array([witnessA, witnessB]),
  auxiliary: map([[unsigned(1), auxiliaryB]]),
  invalid: array([]),
};

function headerWith(fields: readonly Uint8Array[]): Uint8Array {
  return array([array(fields), signature]);
}

function partList({ header, bodies, witnesses, auxiliary, invalid }: Parts): Uint8Array[] {
  return [header, bodies, witnesses, auxiliary, invalid];
}

function encode(changes: Partial<Parts> = {}): Uint8Array {
  const parts = { ...whole, ...changes };
  return array([parts.era, array(partList(parts))]);
}

/** Where a part of `whole` begins: behind the two array heads, the era and the parts before it. */
function startOf(part: Exclude<keyof Parts, 'era'>): number {
  const names = ['header', 'bodies', 'witnesses', 'auxiliary', 'invalid'] as const;
  return names.slice(0, names.indexOf(part)).reduce((at, before) => at + whole[before].length, 3);
}

const hexHash = (bytes: Uint8Array): string => Buffer.from(blake2b(bytes, { dkLen: 32 })).toString('hex');
const payloads = (block: ChainBlock) => block.transactions.map(({ payload }) => Buffer.from(payload).toString('hex'));
const joined = (...parts: (Uint8Array | string)[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString('hex'))).join('');

function faultOf(bytes: Uint8Array): Pick<BlockError, 'offset' | 'place'> {
  try {
    readBlock(bytes);
  } catch (error) {
    if (error instanceof BlockError) return { offset: error.offset, place: error.place };
    throw error;
  }
  throw new Error('the block was read');
}

describe('a block', () => {
  test('has another hash when its header is written in another form', () => {
    const header = headerWith([wideUnsigned(number), unsigned(slot), byteString(parent), name]);
    const block = readBlock(encode({ header }));
    expect({ number: block.number, hash: block.hash }).toEqual({ number, hash: hexHash(header) });
  });

  test('that is the first of its chain has no parent', () => {
    const header = headerWith([unsigned(number), unsigned(slot), nullItem]);
    expect(readBlock(encode({ header })).parent).toBe(null);
  });

  test('is the same when its arrays and maps have no length', () => {
    const open: Parts = {
      ...whole,
      bodies: indefiniteArray([bodyA, bodyB]),
      witnesses: indefiniteArray([witnessA, witnessB]),
      auxiliary: indefiniteMap([[wideUnsigned(1), auxiliaryB]]),
      invalid: indefiniteArray([]),
    };
    const bytes = indefiniteArray([wideUnsigned(6), indefiniteArray(partList(open))]);
    expect(readBlock(bytes)).toEqual(readBlock(encode()));
  });
});

describe('a transaction', () => {
  test('has the hash of the bytes of its body', () => {
    const hashes = readBlock(encode()).transactions.map(({ hash }) => hash);
    expect(hashes).toEqual([hexHash(bodyA), hexHash(bodyB)]);
  });

  test('carries body, witnesses, validity and auxiliary data byte for byte', () => {
    expect(payloads(readBlock(encode()))).toEqual([
      joined('84', bodyA, witnessA, 'f5', 'f6'),
      joined('84', bodyB, witnessB, 'f5', auxiliaryB),
    ]);
  });

  test('that the block lists as invalid says so in its payload', () => {
    expect(payloads(readBlock(encode({ invalid: array([unsigned(1)]) })))).toEqual([
      joined('84', bodyA, witnessA, 'f5', 'f6'),
      joined('84', bodyB, witnessB, 'f4', auxiliaryB),
    ]);
  });

  test('keeps its payload when the bytes it was cut from change', () => {
    const bytes = Uint8Array.from(encode());
    const block = readBlock(bytes);
    const before = payloads(block);
    bytes.fill(0);
    expect(payloads(block)).toEqual(before);
  });
});

describe('a fault', () => {
  const index = (value: number) => map([[unsigned(value), auxiliaryB]]);
  const twice = map([
    [unsigned(0), nullItem],
    [unsigned(0), nullItem],
  ]);

  test.each([
    ['fewer witness sets than bodies', { witnesses: array([witnessA]) }, startOf('witnesses')],
    ['more witness sets than bodies', { bodies: array([bodyA]) }, startOf('witnesses') - bodyB.length],
    ['bodies that are no array', { bodies: map([]), witnesses: array([]) }, startOf('bodies')],
    ['auxiliary data of no transaction', { auxiliary: index(2) }, startOf('auxiliary') + 1],
    ['auxiliary data under a byte string', { auxiliary: map([[name, auxiliaryB]]) }, startOf('auxiliary') + 1],
    ['auxiliary data given twice', { auxiliary: twice }, startOf('auxiliary') + 3],
    ['auxiliary data in an array', { auxiliary: array([]) }, startOf('auxiliary')],
    ['an invalid index of no transaction', { invalid: array([unsigned(0), unsigned(2)]) }, startOf('invalid') + 2],
    ['an invalid index that is a text', { invalid: array([Buffer.from('6130', 'hex')]) }, startOf('invalid') + 1],
    ['invalid indexes that are no array', { invalid: nullItem }, startOf('invalid')],
  ])('behind the header names block, slot and byte: %s', (_, changes, offset) => {
    expect(faultOf(encode(changes))).toEqual({ offset, place });
  });

  test.each([
    ['a number that is a text', headerWith([name, unsigned(slot), nullItem]), 5],
    ['a slot of 2^53', headerWith([unsigned(1), Buffer.from('1b0020000000000000', 'hex'), nullItem]), 6],
    ['a previous hash of 31 bytes', headerWith([unsigned(1), unsigned(1), byteString(parent.subarray(1))]), 7],
    ['a previous hash that is undefined', headerWith([unsigned(1), unsigned(1), Buffer.from('f7', 'hex')]), 7],
    ['no previous hash', headerWith([unsigned(1), unsigned(1)]), 4],
    ['a header without signature', array([array([])]), 3],
    ['a header of three', array([array([]), signature, signature]), 3],
  ])('in the header names its byte: %s', (_, header, offset) => {
    expect(faultOf(encode({ header }))).toEqual({ offset, place: null });
  });

  test.each([
    ['no bytes', Buffer.alloc(0), 0],
    ['a number', unsigned(1), 0],
    ['an array of one', array([unsigned(6)]), 0],
    ['an array of three', array([unsigned(6), array(partList(whole)), unsigned(1)]), 0],
    ['an era that is a text', encode({ era: name }), 1],
    ['an era before Alonzo', encode({ era: unsigned(4) }), 1],
    ['an era above 65,535', encode({ era: unsigned(65_536) }), 1],
    ['a block of four parts', array([unsigned(6), array(partList(whole).slice(1))]), 2],
    ['a block of six parts', array([unsigned(6), array([...partList(whole), nullItem])]), 2],
    ['a byte behind the block', Buffer.concat([encode(), unsigned(0)]), encode().length],
  ])('in the frame names its byte: %s', (_, bytes, offset) => {
    expect(faultOf(bytes)).toEqual({ offset, place: null });
  });
});

describe('damage', () => {
  const encoded = encodeSyntheticChain({ seed: 3, blocks: 6, maxTransactions: 2 });
  const blocks = Array.from(encoded, (bytes, index) => [index + 1, bytes] as const);

  test.each(blocks)('block %i cut short at any byte is an error', (_, bytes) => {
    const read = Array.from(bytes, (_byte, end) => faultOf(bytes.subarray(0, end)).offset <= end);
    expect(read).not.toContain(false);
  });

  test.each(blocks)('block %i with any byte flipped is another block or an error', (_, bytes) => {
    const original = JSON.stringify(readBlock(bytes));
    const same = Array.from(bytes.keys()).filter((at) => {
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      return outcomeOf(damaged) === original;
    });
    expect(same).toEqual([]);
  });

  function outcomeOf(bytes: Uint8Array): string {
    try {
      return JSON.stringify(readBlock(bytes));
    } catch (error) {
      if (error instanceof BlockError) return 'fault';
      throw error;
    }
  }
});
