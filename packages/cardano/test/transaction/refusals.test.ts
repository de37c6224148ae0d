import { randomInt } from 'node:crypto';
import { Random, syntheticChain } from 'cardano-chains';
import { array, byteString, map, nullItem, tagged, unsigned } from 'cardano-chains/cbor';
import { readTransaction, TransactionError, transactionHash } from 'mempool-cardano';
import { describe, expect, test } from 'vitest';
import { transactionOf, yes } from './made.ts';
import { byron, later } from './mainnet.ts';

/** Set MEMPOOL_TEST_SEED to the seed in a failing title to see the same bytes again. */
const seed = Number(process.env.MEMPOOL_TEST_SEED ?? randomInt(2 ** 32));
const mebibyte = 1024 * 1024;

/** Reads the bytes. Returns the offset of the fault, `null` if there is none. @throws every error but the documented one */
function faultOf(read: (cbor: Uint8Array) => unknown, cbor: Uint8Array): number | null {
  try {
    read(cbor);
    return null;
  } catch (error) {
    if (error instanceof TransactionError) return error.offset;
    throw error;
  }
}

const body = map([
  [unsigned(0), array([])],
  [unsigned(1), array([])],
]);
const good = transactionOf({});

describe('no transaction', () => {
  test.each<[string, Uint8Array, number]>([
    ['no bytes', new Uint8Array(), 0],
    ['a number', unsigned(7), 0],
    ['a map', map([]), 0],
    ['one part', array([body]), 0],
    ['five parts', array([body, map([]), yes, nullItem, nullItem]), body.length + 4],
    ['bytes behind it', Buffer.concat([good, Uint8Array.of(0)]), good.length],
    ['a body that is a number', array([unsigned(1), map([]), nullItem]), 1],
    ['a body without a fee', array([body, map([]), nullItem]), 1],
    ['a key twice in its body', transactionOf({}).with(1, 0xa3).with(2, 1), 4],
    ['a key that is text', array([map([[Uint8Array.of(0x61, 0x61), nullItem]]), map([]), nullItem]), 2],
    ['a witness set that is a list', array([body, array([]), yes, nullItem]), body.length + 1],
    ['a flag that is a number', transactionOf({}, { valid: unsigned(1) }), good.length - 2],
    ['two parts that are not those of Byron', array([body, map([])]), body.length + 1],
    ['a body of Byron with two parts', array([array([nullItem, nullItem]), array([])]), 1],
    ['a transaction in a byte string', tagged(24, byteString(good)), 0],
  ])('%s has no hash', (_, cbor, offset) => {
    expect(faultOf(transactionHash, cbor)).toBe(offset);
    expect(faultOf(readTransaction, cbor)).toBe(offset);
  });
});

describe('a field of another form', () => {
  const address = byteString(Uint8Array.of(0x61));
  test.each<[string, Uint8Array]>([
    ['a hash of 31 bytes', transactionOf({ 0: array([array([byteString(new Uint8Array(31)), unsigned(0)])]) })],
    ['an input of three parts', transactionOf({ 0: array([array([address, unsigned(0), unsigned(0)])]) })],
    ['an output without a value', transactionOf({ 1: array([map([[unsigned(0), address]])]) })],
    ['an output of one part', transactionOf({ 1: array([array([address])]) })],
    ['a negative amount', transactionOf({ 1: array([array([address, Uint8Array.of(0x20)])]) })],
    ['a fee that is text', transactionOf({ 2: Uint8Array.of(0x61, 0x61) })],
    ['a policy of 27 bytes', transactionOf({ 9: map([[byteString(new Uint8Array(27)), map([])]]) })],
    ['a certificate without a kind', transactionOf({ 4: array([array([])]) })],
    ['redeemers that are a number', transactionOf({}, { witnesses: map([[unsigned(5), unsigned(0)]]) })],
    ['inputs with an unknown tag', transactionOf({ 0: tagged(259, array([])) })],
  ])('%s is refused, but the hash is known', (_, cbor) => {
    expect(faultOf(transactionHash, cbor)).toBeNull();
    expect(faultOf(readTransaction, cbor)).toBeGreaterThan(0);
  });
});

describe('damage', () => {
  const madeUp = [...syntheticChain({ seed: 3, blocks: 12 })].flatMap(({ transactions }) => transactions);
  const all = [byron, ...later].map(({ cbor }) => cbor).concat(madeUp.slice(0, 4).map(({ payload }) => payload));

  test('a transaction that is cut short anywhere is refused', () => {
    for (const cbor of all) {
      for (let end = 0; end < cbor.length; end += 1) {
        expect(faultOf(transactionHash, cbor.subarray(0, end))).not.toBeNull();
        expect(faultOf(readTransaction, cbor.subarray(0, end))).not.toBeNull();
      }
    }
  });

  test(`changed bytes are another transaction or refused, never another error (seed ${seed})`, () => {
    const random = new Random(seed);
    for (let round = 0; round < 2_000; round += 1) {
      const cbor = Uint8Array.from(all[random.between(0, all.length - 1)] ?? []);
      for (let left = random.between(1, 3); left > 0; left -= 1) {
        cbor[random.between(0, cbor.length - 1)] = random.between(0, 255);
      }
      const isRead = faultOf(readTransaction, cbor) === null;
      if (isRead) expect(faultOf(transactionHash, cbor)).toBeNull();
    }
  });

  test(`random bytes are refused (seed ${seed})`, () => {
    const random = new Random(seed);
    for (let round = 0; round < 2_000; round += 1) {
      const noise = random.bytes(random.between(0, 60));
      const cbor = round % 2 === 0 ? noise : Buffer.concat([Uint8Array.of(0x84, 0xa3), noise]);
      expect(faultOf(transactionHash, cbor)).not.toBeNull();
    }
  });
});

describe('bytes that are made to take long', () => {
  const output = (address: Uint8Array) => array([byteString(address), unsigned(1)]);
  test.each<[string, () => Uint8Array]>([
    ['arrays in one another', () => Buffer.alloc(mebibyte, 0x81)],
    ['a count of 2^63', () => Buffer.from('849b7fffffffffffffff', 'hex')],
    ['an address of Byron of 1 MiB', () => transactionOf({ 1: array([output(Buffer.alloc(mebibyte, 0x82))]) })],
    ['an address of Shelley of 1 MiB', () => transactionOf({ 1: array([output(Buffer.alloc(mebibyte, 0x61))]) })],
    ['100,000 outputs', () => transactionOf({ 1: array(Array(1e5).fill(output(Uint8Array.of(0x61)))) })],
    ['100,000 keys', () => transactionOf({ 9: map(Array(1e5).fill([byteString(Buffer.alloc(28)), map([])])) })],
  ])('%s are read or refused within seconds', { timeout: 30_000 }, (_, bytes) => {
    const cbor = bytes();
    faultOf(transactionHash, cbor);
    faultOf(readTransaction, cbor);
  });
});
