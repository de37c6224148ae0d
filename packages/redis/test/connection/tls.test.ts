import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMempoolError } from 'mempool-core';
import { redis, redisElection } from 'mempool-redis';
import { freePort } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { hashOf, transactions } from '../chain.ts';
import { openOptions } from '../election/node.ts';
import { openPool, ownServer, scratchFolder } from '../own-server.ts';
import { selfSigned } from './certificate.ts';

async function tlsServer() {
  const dir = scratchFolder();
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

test('a certificate that nobody vouches for is not accepted, which is not waited for', async () => {
  const { host } = await tlsServer();
  const opening = redis.open({ url: `rediss://:secret@${host}`, timeoutMs: 60_000 });
  await assert.rejects(opening, (error) => isMempoolError(error, 'ERR_MEMPOOL_AUTH'));
});

test.for(['yes', { cert: 'no certificate' }, { key: 'no key' }, { minVersion: 'TLSv9' }])(
  'the TLS options %j are refused, naming them',
  async (tls) => {
    const url = `rediss://127.0.0.1:${await freePort()}`;
    const given = { url, tls: tls as never };
    await assert.rejects(redis.open(given), { code: 'ERR_MEMPOOL_INVALID', details: { field: 'tls' } });
    const opening = redisElection.open(openOptions(given));
    await assert.rejects(opening, { code: 'ERR_ELECTION_OPTION', field: 'tls' });
  },
);

test('TLS options are not ignored with redis://', async () => {
  const { host, certificate } = await tlsServer();
  const { store } = await openPool({ url: `redis://:secret@${host}`, tls: { ca: certificate } });
  expect(await store.usage()).toMatchObject({ pending: 0 });
});
