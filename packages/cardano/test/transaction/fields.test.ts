import { array, byteString, indefiniteArray, map, nullItem, tagged, unsigned, wideUnsigned } from 'cardano-chains/cbor';
import { readTransaction } from 'mempool-cardano';
import { expect, test } from 'vitest';
import { negative, no, transactionOf } from './made.ts';

const hash = (digit: string) => digit.repeat(64);
const reference = (digit: string, index: number) =>
  array([byteString(Buffer.from(hash(digit), 'hex')), unsigned(index)]);
const policy = Buffer.alloc(28, 0xab);
const enterprise = byteString(Buffer.concat([Uint8Array.of(0x60), Buffer.alloc(28, 1)]));
const assets = map([[byteString(policy), map([[byteString(Buffer.from('tea')), wideUnsigned(2 ** 53)]])]]);

test('a transaction that has only what it must have reads as empty where it has nothing', () => {
  expect(readTransaction(transactionOf({}))).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    valid: true,
    inputs: [],
    referenceInputs: [],
    collateral: [],
    outputs: [],
    collateralReturn: null,
    totalCollateral: null,
    fee: 170_000n,
    validFrom: null,
    validUntil: null,
    mint: [],
    withdrawals: [],
    certificates: [],
    redeemers: [],
  });
});

test('the three parts of Shelley, Allegra and Mary are read like the four of later eras', () => {
  const { fee, valid } = readTransaction(transactionOf({}, { parts: 3 }));
  expect([fee, valid]).toEqual([170_000n, true]);
});

test('inputs, collateral and reference inputs are apart, in order, as lists or as marked sets', () => {
  const read = readTransaction(
    transactionOf(
      {
        0: indefiniteArray([reference('b', 7), reference('a', 0)]),
        13: tagged(258, array([reference('c', 1)])),
        18: array([reference('d', 2)]),
      },
      { valid: no },
    ),
  );
  expect(read).toMatchObject({
    valid: false,
    inputs: [
      { hash: hash('b'), index: 7 },
      { hash: hash('a'), index: 0 },
    ],
    collateral: [{ hash: hash('c'), index: 1 }],
    referenceInputs: [{ hash: hash('d'), index: 2 }],
  });
});

test('an output is read in both of its forms', () => {
  const datum = byteString(Buffer.from(hash('e'), 'hex'));
  const inline = array([unsigned(1), tagged(24, byteString(Uint8Array.of(0x18, 0x2a)))]);
  const script = tagged(24, byteString(Buffer.from('8200820180', 'hex')));
  const outputs = [
    array([enterprise, unsigned(5)]),
    array([enterprise, array([unsigned(6), assets]), datum]),
    map([
      [unsigned(0), enterprise],
      [unsigned(1), unsigned(7)],
      [unsigned(2), inline],
      [unsigned(3), script],
    ]),
    map([
      [unsigned(0), enterprise],
      [unsigned(1), unsigned(8)],
      [unsigned(2), array([unsigned(0), datum])],
    ]),
  ];
  const bare = { assets: [], datumHash: null, inlineDatum: null, scriptHash: null };
  expect(readTransaction(transactionOf({ 1: array(outputs), 16: array([enterprise, unsigned(9)]) }))).toMatchObject({
    outputs: [
      { ...bare, address: expect.stringMatching(/^addr_test1v[02-9ac-hj-np-z]+$/), lovelace: 5n },
      {
        ...bare,
        lovelace: 6n,
        assets: [{ policy: 'ab'.repeat(28), name: '746561', quantity: 2n ** 53n }],
        datumHash: hash('e'),
      },
      { ...bare, lovelace: 7n, inlineDatum: '182a', scriptHash: expect.stringMatching(/^[0-9a-f]{56}$/) },
      { ...bare, lovelace: 8n, datumHash: hash('e') },
    ],
    collateralReturn: { ...bare, lovelace: 9n },
  });
});

test('slots and amounts are exact up to 2^64 − 1', () => {
  const most = Buffer.from('1bffffffffffffffff', 'hex');
  const read = readTransaction(transactionOf({ 2: most, 3: most, 8: wideUnsigned(1), 17: most }));
  const { fee, validFrom, validUntil, totalCollateral } = read;
  expect({ fee, validFrom, validUntil, totalCollateral }).toEqual({
    fee: 2n ** 64n - 1n,
    validFrom: 1n,
    validUntil: 2n ** 64n - 1n,
    totalCollateral: 2n ** 64n - 1n,
  });
});

test('what is burnt is negative in the mint', () => {
  const names = map([
    [byteString(Buffer.from('a')), unsigned(3)],
    [byteString(Uint8Array.of()), negative(4)],
  ]);
  const { mint } = readTransaction(transactionOf({ 9: map([[byteString(policy), names]]) }));
  expect(mint).toEqual([
    { policy: 'ab'.repeat(28), name: '61', quantity: 3n },
    { policy: 'ab'.repeat(28), name: '', quantity: -4n },
  ]);
});

test('withdrawals have stake addresses, certificates their kinds', () => {
  const reward = byteString(Buffer.concat([Uint8Array.of(0xe1), Buffer.alloc(28, 2)]));
  const certificate = array([unsigned(2), array([unsigned(0), byteString(policy)]), byteString(policy)]);
  const body = { 4: array([certificate, array([unsigned(16), nullItem])]), 5: map([[reward, unsigned(11)]]) };
  const { certificates, withdrawals } = readTransaction(transactionOf(body));
  expect(certificates).toEqual([2, 16]);
  expect(withdrawals).toEqual([{ address: expect.stringMatching(/^stake1u/), lovelace: 11n }]);
});

test('redeemers are read as a list, and as the map of Conway', () => {
  const units = array([unsigned(1_700), wideUnsigned(476_468)]);
  const list = array([array([unsigned(0), unsigned(3), nullItem, units])]);
  const byPlace = map([[array([unsigned(0), unsigned(3)]), array([nullItem, units])]]);
  for (const redeemers of [list, byPlace]) {
    const read = readTransaction(transactionOf({}, { witnesses: map([[unsigned(5), redeemers]]) }));
    expect(read.redeemers).toEqual([{ purpose: 'spend', index: 3, memory: 1_700n, steps: 476_468n }]);
  }
});

test('an address of an unknown kind, or far too long, is its bytes in hex', () => {
  const unknown = Buffer.concat([Uint8Array.of(0x90), Buffer.alloc(28)]);
  const long = Buffer.alloc(129, 0x61);
  const outputs = [unknown, long, Buffer.alloc(0)].map((bytes) => array([byteString(bytes), unsigned(1)]));
  const read = readTransaction(transactionOf({ 1: array(outputs) }));
  expect(read.outputs.map(({ address }) => address)).toEqual([unknown.toString('hex'), long.toString('hex'), '']);
});
