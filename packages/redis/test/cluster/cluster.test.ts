import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MempoolEvent } from 'mempool-core';
import { createElection } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { type ClusterNode, freePort, type RedisCluster } from 'mempool-testkit';
import { ownCluster, sharedCluster } from 'mempool-testkit/vitest';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { hashOf, point, transaction, transactions } from '../chain.ts';
import { selfSigned } from '../connection/tls-server.ts';
import { openLeases, openOptions, renewal, win } from '../election/node.ts';
import { openPool, ownProxy, scratchFolder } from '../own-server.ts';
import { fails, rights } from '../refusal.ts';
import { Load, pendingHashes } from './load.ts';

let cluster: RedisCluster;

beforeAll(async () => {
  const shared = await sharedCluster();
  cluster = shared.cluster;
  return shared.end;
});

/** A new pool's name, and its slot. */
async function freshPool() {
  const pool = randomUUID();
  return { pool, slot: await cluster.slotOf(`{${pool}}`) };
}

function place({ server }: ClusterNode): string {
  return `127.0.0.1:${server.port}`;
}

/** A node that does not serve the slot: the pool must find the one that does. */
async function seedFor(slot: number): Promise<readonly string[]> {
  return [place(await cluster.otherMaster(slot))];
}

/** How many MOVED errors the servers have sent. */
async function movedErrors(): Promise<number> {
  const infos = await Promise.all(cluster.nodes.map(({ admin }) => admin.info('errorstats')));
  return infos.reduce((sum, info) => sum + Number(/^errorstat_MOVED:count=(\d+)/m.exec(info)?.[1] ?? 0), 0);
}

test('10,000 calls at rest meet no MOVED error, and the pool is in the slot of its hash tag', async () => {
  const { pool, slot } = await freshPool();
  const { store } = await openPool({ pool, cluster: await seedFor(slot) });
  const leases = await openLeases({ pool, cluster: await seedFor(slot) });
  const before = await movedErrors();
  const load = new Load(store, { width: 100 });
  await load.further(9_000);
  await load.stop();
  const lease = await win(leases, 'a');
  for (let i = 0; i < 1_000; i += 1) await leases.renew(lease, renewal('a'));
  expect(await movedErrors()).toBe(before);
  const { admin } = await cluster.masterOf(slot);
  expect(await admin.exists(`{${pool}}:idx`, `{${pool}}:watcher:lease`)).toBe(2);
});

test('a pool is removed from the server of its slot, with its election', async () => {
  const { pool, slot } = await freshPool();
  const options = { pool, cluster: await seedFor(slot) };
  const { store } = await openPool(options);
  await store.receive([transaction(1)]);
  await store.close();
  const leases = await openLeases(options);
  await win(leases, 'a');
  await leases.close();
  const { admin } = await cluster.masterOf(slot);
  expect((await admin.keys(`{${pool}}:*`)).length).toBeGreaterThan(10);
  expect(await redis.remove(options)).toBe(true);
  expect(await admin.keys(`{${pool}}:*`)).toEqual([]);
  expect(await redis.remove(options)).toBe(false);
});

test.for(['fifo', 'priority'] as const)(
  'a slot that moves under load doubles and loses no call and no event, and keeps their order, in a pool ordered by %s',
  async (ordering) => {
    const { pool, slot } = await freshPool();
    const { store } = await openPool({ pool, ordering, cluster: await seedFor(slot) });
    const events: MempoolEvent[] = [];
    const stream = await store.subscribe();
    void (async () => {
      for await (const event of stream) events.push(event);
    })();
    const load = new Load(store, { width: ordering === 'fifo' ? 8 : 1 });
    await load.further(50);
    for (let moves = 0; moves < 2; moves += 1) {
      await cluster.moveSlot(slot, await cluster.otherMaster(slot));
      await load.further(50);
    }
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(new Set(load.outcomes.map(({ kind }) => kind))).toEqual(new Set(['received']));
    // Each sender's calls are numbered in the order in which they were made, across all senders.
    expect(await pendingHashes(store)).toEqual(load.outcomes.map((_, i) => hashOf(i + 1)));
    await expect.poll(() => events.length).toBe(load.outcomes.length);
    expect(events.map((event) => event.kind === 'transaction' && event.hash)).toEqual(await pendingHashes(store));
  },
);

test('large pages, whose payloads come behind them, are whole while the slot moves', async () => {
  const { pool, slot } = await freshPool();
  const { store } = await openPool({ pool, cluster: await seedFor(slot) });
  const given = Array.from({ length: 100 }, (_, i) => transaction(i + 1));
  await store.receive(given);
  let isMoved = false;
  const moving = cluster.moveSlot(slot, await cluster.otherMaster(slot)).finally(() => {
    isMoved = true;
  });
  for (let behind = false; !behind; ) {
    behind = isMoved;
    expect((await store.peekPending({ limit: 1_000 })).transactions).toMatchObject(given.map(({ hash }) => ({ hash })));
  }
  await moving;
});

test('while a slot is half moved, no call begins, and a call goes on when it has moved', async () => {
  const { pool, slot } = await freshPool();
  const { store } = await openPool({ pool, cluster: cluster.addresses, timeoutMs: 300 });
  const [from, to] = [await cluster.masterOf(slot), await cluster.otherMaster(slot)];
  // With all keys that a call names there, nothing but the one that never exists stops it.
  await store.receive(transactions(1, 2, 3));
  await store.markInflight([hashOf(1), hashOf(2)]);
  await store.drop([hashOf(2)], 'failed');
  await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] });
  await from.admin.hset(`{${pool}}:calls:old`, 'an earlier id', '');
  await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  await from.admin.call('MIGRATE', '127.0.0.1', to.server.port, `{${pool}}:facts`, 0, 5_000);
  const before = await from.admin.hgetall(`{${pool}}:meta`);
  await assert.rejects(store.receive(transactions(4)), fails('ERR_MEMPOOL_UNAVAILABLE'));
  await assert.rejects(store.usage(), fails('ERR_MEMPOOL_UNAVAILABLE'));
  expect(await from.admin.hgetall(`{${pool}}:meta`)).toEqual(before);
  await cluster.moveSlot(slot, to);
  expect(await store.receive(transactions(4))).toMatchObject([{ kind: 'received', seq: 4 }]);
  expect(await store.usage()).toMatchObject({ pending: 2, confirmed: 1 });
});

test('an election and its hints go on when the slot moves', async () => {
  const { pool, slot } = await freshPool();
  const [store, other] = [
    await openLeases({ pool, cluster: cluster.addresses }),
    await openLeases({ pool, cluster: cluster.addresses }),
  ];
  const hints: string[] = [];
  other.onHint((hint) => hints.push(hint));
  const lease = await win(store, 'a');
  await expect.poll(() => hints).toEqual(['acquired']);
  await cluster.moveSlot(slot, await cluster.otherMaster(slot));
  await expect.poll(() => store.renew(lease, renewal('a')).catch(() => null)).toMatchObject({ kind: 'renewed' });
  // Each listener has connected anew, and looked, before it can hear.
  await expect.poll(() => hints.filter((hint) => hint === 'reconnected').length).toBeGreaterThanOrEqual(1);
  await expect.poll(async () => (await other.observe().catch(() => null))?.lease?.token).toBe(lease.token);
  hints.length = 0;
  await expect
    .poll(async () => {
      await store.release(lease);
      await store.reinstate({ ...lease, term: lease.term + 1 }, renewal('a'));
      return hints;
    })
    .toContain('released');
});

test('when a master dies, every call is answered once, blocks go on under a lease, and what was not replicated is said', async () => {
  const { pool, slot } = await freshPool();
  const { store } = await openPool({ pool, cluster: cluster.addresses, fenced: true, timeoutMs: 30_000 });
  const node = { pool, cluster: cluster.addresses, ttlMs: 2_000, renewMs: 200 };
  const elections = ['a', 'b'].map((nodeId) => createElection(redisElection, { ...node, nodeId }));
  onTestFinished(async () => void (await Promise.all(elections.map((election) => election.stop()))));
  await Promise.all(elections.map((election) => election.start()));
  let lagged = 0;
  const stream = await store.subscribe();
  void (async () => {
    for await (const event of stream) if (event.kind === 'lagged') lagged += 1;
  })();
  const apply = (n: number) =>
    Promise.any(
      elections.map((election) =>
        election.runAsLeader((_signal, _term, { lease }) =>
          store.confirm({ point: point(n), seen: [], unseen: [] }, {}, { lease }),
        ),
      ),
    );
  expect(await apply(1)).toMatchObject({ kind: 'applied' });
  const load = new Load(store);
  await load.further(200);
  const dead = await cluster.masterOf(slot);
  await cluster.failOver(slot);
  await load.further(200);
  await load.stop();
  expect(load.failures).toEqual([]);
  // A call that was repeated, or applied again on the successor, says what it said first: never `duplicate`.
  expect(new Set(load.outcomes.map(({ kind }) => kind))).toEqual(new Set(['received']));
  const pending = await pendingHashes(store);
  expect(new Set(pending).size).toBe(pending.length);
  const missing = load.hashes.filter((hash) => !pending.includes(hash));
  if (missing.length > 0) await expect.poll(() => lagged).toBeGreaterThan(0);
  await expect.poll(() => apply(2).catch(() => null)).toMatchObject({ kind: 'applied' });
  await dead.server.restart();
  await cluster.untilHealthy();
});

test('with minReplicas no answered call is lost, when a master hands over and when it dies', async () => {
  const { pool, slot } = await freshPool();
  const { store } = await openPool({ pool, cluster: cluster.addresses, minReplicas: 1, timeoutMs: 30_000 });
  const load = new Load(store);
  await load.further(100);
  await cluster.handOver(slot);
  await load.further(100);
  const dead = await cluster.masterOf(slot);
  await cluster.failOver(slot);
  // The only replica: until it has another one, calls do not know whether they are safe.
  await dead.server.restart();
  await cluster.untilHealthy();
  await load.further(100);
  await load.stop();
  expect(new Set(load.outcomes.map(({ kind }) => kind))).toEqual(new Set(['received']));
  for (const error of load.failures) expect(error).toMatchObject({ code: 'ERR_MEMPOOL_OUTCOME_UNKNOWN' });
  const pending = await pendingHashes(store);
  expect(pending).toEqual(expect.arrayContaining(load.hashes));
  expect(new Set(pending).size).toBe(pending.length);
});

test('the rights that the README names are enough, for pools and an election', async () => {
  const { pool } = await freshPool();
  const keys = [`~{${pool}}:*`, `&{${pool}}:*`];
  const words = [...rights.priority, ...rights.election, ...rights.cluster].filter((right) => right.startsWith('+'));
  for (const { admin } of cluster.nodes)
    await admin.call('ACL', 'SETUSER', pool, 'on', '>secret', '-@all', ...words, 'resetchannels', ...keys);
  const url = `redis://${pool}:secret@${cluster.addresses[0]}`;
  const { store } = await openPool({ pool, url, cluster: cluster.addresses });
  await store.receive([transaction(1)]);
  const leases = await openLeases({ pool, url, cluster: cluster.addresses });
  const hints: string[] = [];
  leases.onHint((hint) => hints.push(hint));
  expect(await leases.release(await win(leases, 'a'))).toBe(true);
  await expect.poll(() => hints).toEqual(['acquired', 'released']);
  for (const right of rights.cluster) {
    for (const { admin } of cluster.nodes) await admin.call('ACL', 'SETUSER', pool, right.replace('+', '-'));
    await assert.rejects(redisElection.open(openOptions({ pool, url, cluster: cluster.addresses })), {
      code: 'ERR_ELECTION_REFUSED',
    });
    for (const { admin } of cluster.nodes) await admin.call('ACL', 'SETUSER', pool, right);
  }
});

test('hints of an election go by plain messages where the servers have no sharded ones', async () => {
  const renamed = ['SSUBSCRIBE', 'SPUBLISH'].flatMap((command) => ['--rename-command', command, '']);
  const old = await ownCluster({ masters: 1, replicas: 0, args: renamed });
  const leases = await openLeases({ cluster: old.addresses });
  const hints: string[] = [];
  leases.onHint((hint) => hints.push(hint));
  await leases.release(await win(leases, 'a'));
  await expect.poll(() => hints).toEqual(['acquired', 'released']);
});

test('the nodes of a cluster are reached by TLS', async () => {
  const { key, certificate } = selfSigned();
  const dir = scratchFolder();
  const [keyFile, certificateFile] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
  await writeFile(keyFile, key);
  await writeFile(certificateFile, certificate);
  const port = await freePort();
  const files = ['--tls-key-file', keyFile, '--tls-cert-file', certificateFile, '--tls-ca-cert-file', certificateFile];
  const args = ['--tls-port', String(port), '--tls-cluster', 'yes', '--tls-auth-clients', 'no', ...files];
  await ownCluster({ masters: 1, replicas: 0, args });
  const cluster = [`127.0.0.1:${port}`];
  const { store } = await openPool({ cluster, tls: { ca: certificate } });
  expect(await store.receive([transaction(1)])).toMatchObject([{ kind: 'received' }]);
  await assert.rejects(redis.open({ cluster, tls: {}, timeoutMs: 1_000 }), fails('ERR_MEMPOOL_AUTH'));
});

test('nodes are reached where natMap says', async () => {
  const { pool } = await freshPool();
  const proxies = await Promise.all(cluster.nodes.map(({ server }) => ownProxy(server.url)));
  const hosts = proxies.map(({ url }) => new URL(url).host);
  const natMap = Object.fromEntries(cluster.addresses.map((address, i) => [address, hosts[i] as string]));
  const { store } = await openPool({ pool, cluster: hosts, natMap, timeoutMs: 1_000 });
  await store.receive(transactions(1));
  for (const proxy of proxies) await proxy.close();
  await assert.rejects(store.usage(), fails('ERR_MEMPOOL_UNAVAILABLE'));
});

test('a URL of a node of a cluster is refused with the words to write, and cluster for a server that is in none', async () => {
  const address = cluster.addresses[0] as string;
  const wanted = { code: 'ERR_MEMPOOL_UNSUPPORTED', message: new RegExp(`cluster: \\["${address}"\\]`) };
  await assert.rejects(redis.open({ url: `redis://${address}` }), wanted);
  const plain = [new URL(inject('redisUrl')).host];
  await assert.rejects(redis.open({ cluster: plain }), fails('ERR_MEMPOOL_UNSUPPORTED'));
  await assert.rejects(redisElection.open(openOptions({ cluster: plain })), { code: 'ERR_ELECTION_REFUSED' });
  await assert.rejects(
    redis.open({ cluster: cluster.addresses, url: 'redis://h/1' }),
    fails('ERR_MEMPOOL_INVALID', { field: 'url' }),
  );
});

test.for([
  ['cluster', { cluster: [] }],
  ['cluster', { cluster: ['h'] }],
  ['cluster', { cluster: ['h:0'] }],
  ['cluster', { cluster: 'h:1' }],
  ['natMap', { cluster: ['h:1'], natMap: { h: 'h:1' } }],
  ['natMap', { cluster: ['h:1'], natMap: { 'h:1': 1 } }],
  ['url', {}],
] as const)('a wrong or missing %s is refused: %o', async ([field, options]) => {
  await assert.rejects(redis.open(options as object), fails('ERR_MEMPOOL_INVALID', { field }));
  await assert.rejects(
    redisElection.open(openOptions(options as object)),
    ({ code, field: named }: { code: string; field: string }) => code === 'ERR_ELECTION_OPTION' && named === field,
  );
});
