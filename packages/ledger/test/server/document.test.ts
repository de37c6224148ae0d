import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { memoryLedger, openLedger, signedText } from 'mempool-ledger';
import { servedLedger } from 'mempool-ledger/server';
import { createServer } from 'mempool-server';
import type { ExtensionParts } from 'mempool-server/extension';
import { expect, onTestFinished, test } from 'vitest';
import { ownPool } from '../../../server/test/http/served.ts';
import { ledgerServer } from './ledger-client.ts';

test('the OpenAPI document names every path of the ledger, and is valid', async () => {
  const ledger = await openLedger(memoryLedger, { currency: 'ADA' });
  onTestFinished(() => ledger.close());
  const extension = async (parts: ExtensionParts) => servedLedger({ ledger, currency: 'ADA', decimals: 6 }, parts);
  const server = await createServer({ pool: await ownPool() }, { extensions: [extension] });
  const document = server.openapi() as Record<string, object>;
  expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  const paths = Object.keys(document.paths ?? {}).filter((path) => path.includes('ledger'));
  expect(paths.map((path) => path.replace('/api/v1/ledger', '')).toSorted()).toEqual([
    ...['', '/audit', '/events', '/transfers', '/transfers/batch', '/transfers/{id}', '/transfers/{id}/post'],
    ...['/transfers/{id}/void', '/wallets', '/wallets/{id}', '/wallets/{id}/close', '/wallets/{id}/tags'],
    '/wallets/{id}/transfers',
  ]);
});

const keyOf = (key: KeyObject) =>
  `ed25519:${Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')}`;

test('a wallet with a signer takes only transfers that its key has signed', async () => {
  const { client } = await ledgerServer();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signer = keyOf(publicKey);
  await client.post('/wallets', { id: 'a', owner: 'x', signer });
  await client.post('/transfers', { source: '~vault', destination: 'a', amount: '5' }, 'in');
  const move = { source: 'a', destination: '~vault', amount: '3', currency: 'ADA' };
  const text = signedText({ ledger: 'main', id: 'out', ...move, amount: 3n });
  const signature = { signer, bytes: sign(null, Buffer.from(text), privateKey).toString('hex') };
  const refused = { status: 422, body: { outcome: 'signature_invalid' } };
  expect(await client.post('/transfers', move, 'out')).toMatchObject(refused);
  expect(await client.post('/transfers', { ...move, amount: '4', signature }, 'out')).toMatchObject(refused);
  expect(await client.post('/transfers', { ...move, signature }, 'other')).toMatchObject(refused);
  expect(await client.post('/transfers', { ...move, signature }, 'out')).toMatchObject({ status: 201 });
});
