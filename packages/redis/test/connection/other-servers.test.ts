import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isElectionError } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { freePort } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf, transaction, transactions } from '../chain.ts';
import { openLeases, openOptions, request } from '../election/node.ts';
import { openPool, operator, ownServer, scratchFolder } from '../own-server.ts';
import { priced } from '../priority/priced.ts';
import { fails } from '../refusal.ts';

const refused = { code: 'ERR_ELECTION_REFUSED' };

/** All, but for the question what the server is. */
const rights = ['~{mempool}:*', '&*', '+@all', '-info'];

/** Stopped after the test. Resolves with its URL when it answers. */
async function sentinel(): Promise<string> {
  const file = join(scratchFolder(), 'sentinel.conf');
  await writeFile(file, '');
  const port = await freePort();
  const child = spawn('redis-server', [file, '--sentinel', '--port', String(port), '--bind', '127.0.0.1'], {
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const url = `redis://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      operator(url)
        .ping()
        .catch(() => null),
    )
    .toBe('PONG');
  return url;
}

test.for(['fifo', 'priority'] as const)(
  'a payload that the server takes no argument of is invalid in a pool ordered by %s, and the pool goes on',
  async (ordering) => {
    const server = await ownServer('--proto-max-bulk-len', '1mb');
    const { store } = await openPool({ url: server.url, ordering, maxTxBytes: 2 ** 31 });
    const make = (n: number, bytes: number) => (ordering === 'fifo' ? transaction(n, bytes) : priced(n, {}, bytes));
    await assert.rejects(store.receive([make(1, 2 ** 20 + 1)]), fails('ERR_MEMPOOL_INVALID'));
    expect(await store.receive([make(1, 100)])).toMatchObject([{ kind: 'received', seq: 1 }]);
  },
);

test('a payload of more than 512 MiB is invalid', async () => {
  const server = await ownServer();
  const { store } = await openPool({ url: server.url, maxTxBytes: 2 ** 31 });
  const huge = { hash: hashOf(1), payload: new Uint8Array(2 ** 29), payloadType: 0 };
  await assert.rejects(store.receive([huge]), fails('ERR_MEMPOOL_INVALID'));
  expect(await store.usage()).toMatchObject({ pending: 0 });
});

test.for(['fifo', 'priority'] as const)(
  'a server that was demoted is neither written to nor read from, in a pool ordered by %s: what it tells may be old',
  async (ordering) => {
    const [server, successor] = [await ownServer(), await ownServer()];
    const { store } = await openPool({ url: server.url, ordering, timeoutMs: 1_000 });
    const leases = await openLeases({ url: server.url });
    await store.receive([ordering === 'fifo' ? transaction(1) : priced(1)]);
    await operator(server.url).replicaof('127.0.0.1', successor.port);
    const calls: (() => Promise<unknown>)[] = [
      () => store.receive(transactions(2)),
      () => store.usage(),
      () => store.peekPending(),
      () => store.status([hashOf(1)]),
      () => store.reap(),
      () => store.dumpFinalized(),
      () => store.tip(),
      () => store.subscribe({ after: 'origin' }),
    ];
    await Promise.all(calls.map((call) => assert.rejects(call(), fails('ERR_MEMPOOL_READ_ONLY'))));
    for (const look of [() => leases.observe(), () => leases.members(), () => leases.campaign(request('a'))])
      expect(await endOf(look)).toMatchObject(refused);
  },
);

/** How a call ends, repeated while its connection is made anew: after a refusal the address is looked up again. */
async function endOf(call: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    const end = await call().then(
      () => 'answered',
      (error: unknown) => error,
    );
    if (!isElectionError(end, 'ERR_ELECTION_UNAVAILABLE')) return end;
    await setImmediate();
  }
}

/** Its second port, by default 10,000 above the first, could be one that the system has given to somebody. */
async function clusterNode() {
  const busPort = String(await freePort());
  return { busPort, server: await ownServer('--cluster-enabled', 'yes', '--cluster-port', busPort) };
}

test('a node of a cluster is refused as such, with and without the right to be asked', async () => {
  const { server } = await clusterNode();
  const open = (url: string) => redis.open({ url, timeoutMs: 60_000 });
  await assert.rejects(open(server.url), fails('ERR_MEMPOOL_UNSUPPORTED'));
  await assert.rejects(open(`${server.url}/1`), fails('ERR_MEMPOOL_UNSUPPORTED'));
  const admin = operator(server.url);
  await admin.call('ACL', 'SETUSER', 'node', 'on', '>secret', ...rights);
  // The slot of the pool's keys is said to be another node's.
  await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  const id = String(await admin.call('CLUSTER', 'MYID'));
  const slot = String(await admin.call('CLUSTER', 'KEYSLOT', '{mempool}'));
  const { server: other, busPort } = await clusterNode();
  await admin.call('CLUSTER', 'MEET', '127.0.0.1', String(other.port), busPort);
  const otherId = String(await operator(other.url).call('CLUSTER', 'MYID'));
  await expect.poll(() => admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', otherId).catch(() => id)).toBe('OK');
  const url = server.url.replace('//', '//node:secret@');
  await expect.poll(() => open(url).catch((error: unknown) => error)).toSatisfy(fails('ERR_MEMPOOL_UNSUPPORTED'));
  await assert.rejects(redisElection.open(openOptions({ url: server.url })), refused);
  await assert.rejects(redisElection.open(openOptions({ url })), refused);
});

test("a Sentinel's URL is refused as such", async () => {
  const url = await sentinel();
  await assert.rejects(redis.open({ url, timeoutMs: 60_000 }), (error) => {
    expect((error as Error).message).toContain(`sentinels: ["${new URL(url).host}"], masterName:`);
    return fails('ERR_MEMPOOL_UNSUPPORTED')(error);
  });
  await assert.rejects(redisElection.open(openOptions({ url })), { ...refused, message: /Sentinel/ });
});
