import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadServerConfig, startServer } from 'mempool-server';
import { ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { startProcess } from '../../../server/test/http/server-process.ts';
import { LedgerClient } from './ledger-client.ts';

const ledger = { currency: 'ADA' };

test.for(['sqlite', 'redis'] as const)('a server killed while it moves money loses nothing on %s', async (backend) => {
  const path = join(scratchFolder(), 'pool.sqlite');
  const mempool = backend === 'sqlite' ? { backend, path } : { backend, url: (await ownServer()).url };
  const start = async () => {
    const config = JSON.stringify({ mempool, ledger: { ...ledger, name: 'l' } });
    const server = await startProcess('sections-program.ts', config);
    onTestFinished(() => void server.child.kill('SIGKILL'));
    return server;
  };
  const first = await start();
  const client = new LedgerClient(first.url);
  await client.fund('a', 'x', '1000');
  await client.post('/wallets', { id: 'b', owner: 'x' });
  const move = { source: 'a', destination: 'b', amount: '1' };
  const acknowledged: string[] = [];
  const sending = Array.from({ length: 8 }, async (_, caller) => {
    for (let i = 0; i < 50; i++) {
      const id = `${caller}-${i}`;
      const answer = await client.post('/transfers', move, id).catch(() => null);
      if (answer?.status !== 201) return;
      acknowledged.push(id);
      if (acknowledged.length === 60) first.child.kill('SIGKILL');
    }
  });
  await Promise.all(sending);
  await first.ended;
  const second = await start();
  const after = new LedgerClient(second.url);
  for (const id of acknowledged)
    expect(await after.post('/transfers', move, id)).toMatchObject({ status: 201, replayed: true });
  const { body } = await after.get('/wallets/b');
  expect(Number(body.balance)).toBeGreaterThanOrEqual(acknowledged.length);
  expect(await after.get('/audit')).toMatchObject({ body: { ok: true } });
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
  expect(existsSync(path.replace('.sqlite', '.ledger.sqlite'))).toBe(backend === 'sqlite');
});

test('a vault with another currency is refused, and the pool is closed again', async () => {
  const mempool = { backend: 'sqlite', path: join(scratchFolder(), 'pool') };
  const open = async (currency: string) =>
    startServer(await loadServerConfig({ mempool, ledger: { currency } }, { server: { port: 0 } }));
  await (await open('ADA')).close();
  await expect(open('BTC')).rejects.toMatchObject({ code: 'ERR_LEDGER_ARGUMENT', field: 'currency' });
  await (await open('ADA')).close();
});
