import { transactionHash } from 'mempool-cardano';
import { expect, test } from 'vitest';
import { jsonOf, submit } from './client.ts';
import { served } from './served.ts';

/** `[{inputs, outputs, fee}, witness set, is valid, auxiliary data]`. */
const transaction = Buffer.from('84a3008001800200a0f5f6', 'hex');

test('with hash = "cardano" a transaction has the hash of its body, and other bytes are refused', async () => {
  const server = await served(undefined, { hash: 'cardano' });
  const taken = await submit(server, transaction, { 'content-type': 'application/cbor' });
  expect([taken.status, await jsonOf(taken)]).toMatchObject([201, { hash: transactionHash(transaction) }]);
  const refused = await submit(server, transaction.subarray(1));
  expect([refused.status, await jsonOf(refused)]).toMatchObject([
    400,
    { code: 'ERR_SERVER_REQUEST', field: 'payload' },
  ]);
});
