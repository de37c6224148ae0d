import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { ConfigOf, Ordering, Schedule } from 'mempool-core';
import { type NodeOptions, type NodeParts, openNode } from 'mempool-node';
import { sqlite } from 'mempool-sqlite';
import type { RedisCluster } from 'mempool-testkit';
import { ownServer, scratchFolder, sharedCluster } from 'mempool-testkit/vitest';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SteadyChain } from './steady-chain.ts';

type Config = ConfigOf<string, Ordering>;

/** Where a node keeps its pool, and how to see that nobody has it open. */
interface Home {
  readonly config: Config;
  /** Makes the election's start fail after the pool was opened. In memory it cannot fail. */
  readonly breakElection?: () => void | Promise<void>;
  assertFree(): Promise<void>;
}

const homes: Readonly<Record<string, () => Promise<Home>>> = {
  async ephemeral() {
    return { config: { backend: 'ephemeral' }, assertFree: async () => undefined };
  },

  async sqlite() {
    const path = join(scratchFolder(), 'pool.sqlite');
    return {
      config: { backend: 'sqlite', path },
      breakElection: () => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
        mkdirSync(path);
      },
      async assertFree() {
        rmSync(path, { recursive: true, force: true });
        await (await sqlite.open({ path })).close();
        // It is refused while anybody has the file open.
        await sqlite.remove({ path });
      },
    };
  },

  async redis() {
    const { url } = await ownServer();
    const operator = new Redis(url);
    onTestFinished(() => operator.disconnect());
    return {
      config: { backend: 'redis', url, connectionName: 'the-node' },
      breakElection: async () => void (await operator.call('ACL', 'SETUSER', 'default', 'resetchannels')),
      async assertFree() {
        // The server takes a moment to notice that a socket was closed.
        const clients = async () => String(await operator.call('CLIENT', 'LIST'));
        await expect.poll(clients).not.toContain('name=the-node');
      },
    };
  },
};

const backends = Object.entries(homes);

let cluster: RedisCluster;

beforeAll(async () => {
  const shared = await sharedCluster({ masters: 2, replicas: 0 });
  cluster = shared.cluster;
  return shared.end;
});

async function inCluster(): Promise<Home> {
  const config = { backend: 'redis', pool: randomUUID(), cluster: cluster.addresses, connectionName: 'the-node' };
  const clients = async () =>
    String(await Promise.all(cluster.nodes.map(async ({ admin }) => String(await admin.call('CLIENT', 'LIST')))));
  return { config, assertFree: () => expect.poll(clients).not.toContain('name=the-node') };
}

/** The timers of pools that sweep by themselves: one that is left belongs to a pool that nobody closed. */
class Timers {
  readonly set = new Set<() => void>();

  readonly schedule: Schedule = (callback) => {
    this.set.add(callback);
    return () => this.set.delete(callback);
  };
}

const source = new SteadyChain(3);

describe.each([...backends, ['a Redis Cluster', inCluster] as const])('a node on %s', (_, makeHome) => {
  test('leads, applies the chain, and takes transactions', async () => {
    const { config } = await makeHome();
    const ready = Promise.withResolvers<void>();
    await using node = await openNode(config, {
      source,
      nodeId: 'a',
      fenced: true,
      prepare: ({ watcher }) => void watcher?.on('ready', () => ready.resolve()),
    });
    await ready.promise;
    expect([node.election.id, node.election.isLeader(), (await node.pool.tip()).tick]).toEqual(['a', true, 3]);
    expect(await node.pool.submit({ hash: 'ab'.repeat(32), payload: new Uint8Array(1), payloadType: 0 })).toMatchObject(
      {
        kind: 'received',
      },
    );
  });

  test('stops its watcher, then its election, then its pool, and leaves nothing open', async () => {
    const { config, assertFree } = await makeHome();
    const timers = new Timers();
    const ready = Promise.withResolvers<void>();
    const node = await openNode(config, {
      source,
      sweepEveryMs: 1_000,
      schedule: timers.schedule,
      prepare: ({ watcher }) => void watcher?.on('ready', () => ready.resolve()),
    });
    await ready.promise;
    const atTheLoss: Promise<unknown>[] = [];
    node.election.on('lost', ({ reason }) => atTheLoss.push(node.pool.tip().then(({ tick }) => [reason, tick])));
    const closing = node.close();
    expect(await Promise.all([closing, node.close()])).toEqual([undefined, undefined]);
    expect(await Promise.all(atTheLoss)).toEqual([['stopped', 3]]);
    await expect(node.pool.tip()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
    await expect(node.election.campaign()).rejects.toMatchObject({ code: 'ERR_ELECTION_STOPPED' });
    expect(timers.set.size).toBe(0);
    await assertFree();
  });

  test('without a chain source is its pool alone', async () => {
    const { config, assertFree } = await makeHome();
    const node = await openNode(config);
    expect([node.election, node.watcher, (await node.pool.tip()).tick]).toEqual([null, null, 0]);
    await node.close();
    await assertFree();
  });

  test('may come from a file, with fields beside it that win', async () => {
    const { config } = await makeHome();
    const path = join(scratchFolder(), 'node.json');
    writeFileSync(path, JSON.stringify({ ...config, max_txs: 5, election: 'blocks', watcher_lock_ttl: 2 }));
    await using node = await openNode(path, { source, maxTxs: 7 });
    expect([node.election.name, (await node.pool.setLimits({})).maxTxs]).toEqual(['blocks', 7]);
  });
});

const failures: Readonly<Record<string, readonly [NodeOptions, object]>> = {
  'the pool': [{ maxPerSender: 1 }, { code: 'ERR_MEMPOOL_UNSUPPORTED' }],
  'an option of the pool': [{ maxBatch: 0 }, { code: 'ERR_MEMPOOL_INVALID', details: { field: 'maxBatch' } }],
  'an option of the election': [{ nodeId: 'a b' }, { code: 'ERR_ELECTION_OPTION', field: 'nodeId' }],
  'an option of the watcher': [
    { watcherOptions: { ringSize: 0 } },
    { code: 'ERR_MEMPOOL_INVALID', details: { field: 'ringSize' } },
  ],
  'what prepares it': [{ prepare: () => Promise.reject(new Error('unprepared')) }, { message: 'unprepared' }],
};

/** Opens a node that fails with this error, and looks for what it left open. */
async function expectNothingOpen({ config, assertFree }: Home, wrong: NodeOptions, error: object): Promise<void> {
  const timers = new Timers();
  const seen: NodeParts[] = [];
  const prepare = (parts: NodeParts) => {
    seen.push(parts);
    return wrong.prepare?.(parts);
  };
  const given = { source, sweepEveryMs: 1_000, schedule: timers.schedule, ...wrong, prepare };
  await expect(openNode(config, given)).rejects.toMatchObject(error);
  expect(timers.set.size).toBe(0);
  for (const { pool, election } of seen) {
    await expect(pool.tip()).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
    await expect(election?.campaign()).rejects.toMatchObject({ code: 'ERR_ELECTION_STOPPED' });
  }
  await assertFree();
}

describe.each(backends)('nothing stays open on %s', (_, makeHome) => {
  test.each(Object.entries(failures))('if %s fails', async (__, [wrong, error]) => {
    await expectNothingOpen(await makeHome(), wrong, error);
  });
});

test.each(['sqlite', 'redis'])('nothing stays open on %s if the start of the election fails', async (name) => {
  const home = (await homes[name]?.()) as Home;
  const { breakElection: prepare } = home;
  await expectNothingOpen(home, { prepare }, { name: 'ElectionError' });
});

test('what sees that a file is free notices one that is not', async () => {
  const home = await homes.sqlite?.();
  await using node = await openNode(home?.config as Config);
  const path = home?.config.path as string;
  await expect(sqlite.remove({ path })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_IN_USE' });
  expect(node.pool.ordering).toBe('fifo');
});

test('a pool in memory is guarded by the lease of its node', async () => {
  await using node = await openNode({ backend: 'ephemeral', fenced: true, ordering: 'priority' }, { source });
  const foreign = { point: { slot: 9, hash: 'ab'.repeat(32) }, seen: [], unseen: [] };
  expect(await node.pool.confirm(foreign)).toMatchObject({ kind: 'fenced' });
  expect(await node.pool.best()).toEqual([]);
});

test('of two nodes on one file, the second leads when the first has closed', async () => {
  const path = join(scratchFolder(), 'pool.sqlite');
  const first = await openNode({ backend: 'sqlite', path }, { source, nodeId: 'first' });
  await first.election.runAsLeader(async () => undefined);
  await using second = await openNode({ backend: 'sqlite', path }, { source, nodeId: 'second' });
  expect(second.election.leader?.nodeId).toBe('first');
  await first.close();
  await second.election.runAsLeader(async () => undefined);
  expect(second.election.isLeader()).toBe(true);
});

test('a Dolos configuration gives pool and election one place, and the time of the lock', async () => {
  const root = join(scratchFolder(), 'data');
  const storage = { path: root, mempool: { backend: 'redb', watcher_lock_ttl: 1 } } as const;
  await using node = await openNode({ storage }, { source, fenced: true });
  const { signal } = await node.election.runAsLeader(async (_signal, _term, leadership) => leadership);
  expect([signal.aborted, readdirSync(root).includes('mempool')]).toEqual([false, true]);
  expect(readdirSync(root).every((name) => name.startsWith('mempool'))).toBe(true);
});

test('a backend of a third party is refused by name', async () => {
  const refused = { code: 'ERR_MEMPOOL_CONFIG', details: { field: 'backend' } };
  await expect(openNode({ backend: 'mine' } as object as Config)).rejects.toMatchObject(refused);
});

test.each([
  ['sorce', 'source'],
  ['nodeID', 'nodeId'],
  ['maxTx', 'maxTxs'],
])('a misspelt option %s is refused, with the name %s', async (field, meant) => {
  const opening = openNode({ backend: 'ephemeral' }, { [field]: 1 } as object);
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
  await expect(opening).rejects.toThrow(`did you mean ${meant}?`);
});
