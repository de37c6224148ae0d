import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMempoolError } from 'mempool-core';
import { redis } from 'mempool-redis';
import { expect, test } from 'vitest';
import { selfSigned } from './certificate.ts';
import { hashOf, transactions } from './chain.ts';
import { openPool, ownServer, testFolder } from './own-server.ts';
import { freePort } from './server.ts';

async function tlsServer() {
  const dir = await testFolder();
  const { key, certificate } = selfSigned();
  const [keyFile, certificateFile] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
  await writeFile(keyFile, key);
  await writeFile(certificateFile, certificate);
  const port = await freePort();
  const files = ['--tls-key-file', keyFile, '--tls-cert-file', certificateFile, '--tls-ca-cert-file', certificateFile];
  await ownServer('--tls-port', String(port), ...files, '--tls-auth-clients', 'no', '--requirepass', 'secret');
  return { host: `127.0.0.1:${port}`, certificate };
}

test('rediss:// works with a password, for calls and for events', async () => {
  const { host, certificate } = await tlsServer();
  const { store } = await openPool({ url: `rediss://:secret@${host}/1`, tls: { ca: certificate } });
  const events = (await store.subscribe())[Symbol.asyncIterator]();
  await store.receive(transactions(1));
  expect((await events.next()).value).toMatchObject({ hash: hashOf(1) });
});

test('a certificate that nobody vouches for is not accepted', async () => {
  const { host } = await tlsServer();
  const opening = redis.open({ url: `rediss://:secret@${host}`, timeoutMs: 400 });
  await assert.rejects(opening, (error) => isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE'));
});

test('TLS options are not ignored with redis://', async () => {
  const { host, certificate } = await tlsServer();
  const { store } = await openPool({ url: `redis://:secret@${host}`, tls: { ca: certificate } });
  expect(await store.usage()).toMatchObject({ pending: 0 });
});
