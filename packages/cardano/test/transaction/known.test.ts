import { globSync } from 'node:fs';
import { join } from 'node:path';
import { syntheticChain } from 'cardano-chains';
import { type CardanoOutput, readChunkFile, readTransaction, transactionHash } from 'mempool-cardano';
import { expect, test } from 'vitest';
import { byron, later } from './mainnet.ts';
import { readByOther } from './other-reader.ts';

/** A folder with chunk files of real blocks, for more than the few transactions here. */
const folder = process.env.MEMPOOL_TEST_CHUNKS;
const chunks = folder === undefined ? [] : globSync('*.chunk', { cwd: folder }).map((name) => join(folder, name));

const sorted = (output: CardanoOutput): CardanoOutput => ({
  ...output,
  assets: output.assets.toSorted((a, b) => (`${a.policy}${a.name}` < `${b.policy}${b.name}` ? -1 : 1)),
});

function expectSame(cbor: Uint8Array): void {
  const { withdrawals, mint, ...own } = readTransaction(cbor);
  const other = readByOther(cbor);
  const comparable = ({ outputs, collateralReturn, ...rest }: typeof own) => ({
    ...rest,
    outputs: outputs.map(sorted),
    collateralReturn: collateralReturn && sorted(collateralReturn),
  });
  expect(comparable(own)).toEqual(comparable(other));
}

test.each([byron, ...later])('the hash of a transaction of $era is its id on the chain', ({ id, cbor }) => {
  expect([transactionHash(cbor), readTransaction(cbor).hash]).toEqual([id, id]);
});

test.each(later)('a transaction of $era is read as by another implementation', ({ cbor }) => expectSame(cbor));

test('a transaction of Byron has addresses in base58, and no fee of its own', () => {
  const { inputs, outputs, fee } = readTransaction(byron.cbor);
  expect(inputs).toEqual([{ hash: 'da832fb5ef57df5b91817e9a7448d26e92552afb34f8ee5adb491b24bbe990d5', index: 14 }]);
  expect(outputs.map(({ address, lovelace }) => [address, lovelace])).toEqual([
    [
      'DdzFFzCqrht8QHTQXbWy2qoyPaqTN8BjyfKygGmpy9dtot1tvkBfCaVTnR22XCaaDVn3M1U6aiMShoCLzw6VWSwzQKhhJrM3YjYp3wyy',
      6_218_600_000n,
    ],
    [
      'DdzFFzCqrhsjUjMRukzoFx8sToHzCt4iidB17STXk9adAoVMNus5SvAjS1cXfPKbuNbPUZ5xQG25sMK85n9GdMkqo2ytqBnKWC68s8P3',
      13_780_227_567n,
    ],
  ]);
  expect(fee).toBeNull();
});

test('the hash of each transaction of a block is the hash of what was submitted', () => {
  const transactions = [...syntheticChain()].flatMap((block) => block.transactions);
  expect(transactions.map(({ payload }) => transactionHash(payload))).toEqual(transactions.map(({ hash }) => hash));
});

test.each(chunks)('every transaction in %s is read as by another implementation', async (path) => {
  for await (const { transactions } of readChunkFile(path)) {
    for (const { hash, payload } of transactions) {
      expect(transactionHash(payload)).toBe(hash);
      expectSame(payload);
    }
  }
});
