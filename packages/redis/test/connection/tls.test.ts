import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { redis, redisElection } from 'mempool-redis';
import { freePort } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf, transactions } from '../chain.ts';
import { openOptions } from '../election/node.ts';
import { openPool, operator } from '../own-server.ts';
import { faults, faultyProxy } from './tls-fault.ts';
import type { Subject, Told, Visit } from './tls-process.ts';
import { type Certificate, selfSigned, tlsServer } from './tls-server.ts';

const program = fileURLToPath(new URL('./tls-process.ts', import.meta.url));
/** Longer than anything here takes, where trying again is not to be waited for. */
const patientMs = 30_000;

const refusals: Readonly<Record<Subject, string>> = {
  pool: 'ERR_MEMPOOL_AUTH',
  election: 'ERR_ELECTION_REFUSED',
};

const subjects = Object.keys(refusals) as Subject[];

/** Makes the visits in a process of its own. Resolves with what they ended with when it has ended by itself. */
async function visitAll(visits: readonly Visit[], onOpened = () => {}): Promise<string[]> {
  const child = fork(program, [], {
    execArgv: ['--conditions=mempool-source'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ends: string[] = [];
  child.on('message', (told: Told) => {
    if (told.kind === 'opened') onOpened();
    else ends[told.visit] = told.with;
  });
  child.send(visits);
  const [code, signal] = await once(child, 'close');
  assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
  return ends;
}

const harmless = [
  'fine',
  'ERR_MEMPOOL_UNAVAILABLE',
  'ERR_MEMPOOL_AUTH',
  'ERR_ELECTION_UNAVAILABLE',
  'ERR_ELECTION_REFUSED',
];

test.for(subjects)('no fault of a TLS connection, at whichever record, ends the process of a %s', async (subject) => {
  const { port, certificate } = await tlsServer('no');
  const visits: Visit[] = [];
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
    for (const fault of faults)
      for (const record of [0, 1, 2, 4, 6, 9, 12, 20])
        visits.push({
          subject,
          port: await faultyProxy(port, fault, record),
          tls: { ca: certificate, maxVersion },
          timeoutMs: 1_500,
          stay: 'once',
        });
  const ends = await visitAll(visits);
  expect(ends).toHaveLength(visits.length);
  expect(ends.filter((end) => !harmless.includes(end))).toEqual([]);
  expect(ends).toContain(refusals[subject]);
  expect(ends).toContain(refusals[subject].replace(/AUTH|REFUSED/, 'UNAVAILABLE'));
});

function visitsOf(port: number, tls: object): Visit[] {
  return subjects.flatMap((subject) =>
    (['TLSv1.2', 'TLSv1.3'] as const).map(
      (maxVersion): Visit => ({
        subject,
        port,
        tls: { ...tls, maxVersion },
        timeoutMs: patientMs,
        stay: 'until refused',
      }),
    ),
  );
}

const refused = subjects.flatMap((subject) => [refusals[subject], refusals[subject]]);

test('without a certificate that the server takes, pool and election are refused at once', async () => {
  const { port, certificate } = await tlsServer('yes');
  const stranger: Certificate = selfSigned();
  const none = visitsOf(port, { ca: certificate });
  const others = visitsOf(port, { ca: certificate, cert: stranger.certificate, key: stranger.key });
  expect(await visitAll([...none, ...others])).toEqual([...refused, ...refused]);
});

test('a server that asks for certificates from now on, and ends the connections it has, refuses what is open', async () => {
  const { port, certificate, adminUrl } = await tlsServer('no');
  const admin = operator(adminUrl);
  const visits = visitsOf(port, { ca: certificate });
  let opened = 0;
  const ends = await visitAll(visits, async () => {
    opened += 1;
    if (opened < visits.length) return;
    await admin.config('SET', 'tls-auth-clients', 'yes');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  });
  expect(ends).toEqual(refused);
});

test('a server whose certificate nobody vouches for, or is of another name, is refused at once', async () => {
  const { port, certificate } = await tlsServer('no');
  const ends = await visitAll([...visitsOf(port, {}), ...visitsOf(port, { ca: certificate, servername: 'elsewhere' })]);
  expect(ends).toEqual([...refused, ...refused]);
});

test('rediss:// works with a password, for calls and for events', async () => {
  const { port, certificate } = await tlsServer('no');
  const { store } = await openPool({ url: `rediss://:secret@127.0.0.1:${port}/1`, tls: { ca: certificate } });
  const events = (await store.subscribe())[Symbol.asyncIterator]();
  await store.receive(transactions(1));
  expect((await events.next()).value).toMatchObject({ hash: hashOf(1) });
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
  const { port, certificate } = await tlsServer('no');
  const { store } = await openPool({ url: `redis://:secret@127.0.0.1:${port}`, tls: { ca: certificate } });
  expect(await store.usage()).toMatchObject({ pending: 0 });
});

test('a server that expects TLS, or does not, is named as the probable cause', async () => {
  const { port, adminUrl } = await tlsServer('no');
  const plain = new URL(adminUrl).port;
  const hints = [
    [`redis://:secret@127.0.0.1:${port}`, /TLS.*rediss:/],
    [`redis://127.0.0.1:${port}`, /TLS.*rediss:/],
    [`rediss://:secret@127.0.0.1:${plain}`, /TLS.*redis:/],
  ] as const;
  for (const [url, message] of hints) {
    await assert.rejects(redis.open({ url, timeoutMs: 500 }), { code: 'ERR_MEMPOOL_UNAVAILABLE', message });
    await assert.rejects(redisElection.open(openOptions({ url, commandTimeoutMs: 500 })), {
      code: 'ERR_ELECTION_UNAVAILABLE',
      message,
    });
  }
});
