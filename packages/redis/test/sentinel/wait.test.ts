import assert from 'node:assert/strict';
import type { Mempool, Ordering } from 'mempool-core';
import { redis } from 'mempool-redis';
import { expect, test } from 'vitest';
import { hashOf, point, transaction, transactions } from '../chain.ts';
import { openLeases, request } from '../election/node.ts';
import { openPool, operator, ownProxy, ownServer } from '../own-server.ts';
import { priced } from '../priority/priced.ts';
import { fails } from '../refusal.ts';

const lost = fails('ERR_MEMPOOL_OUTCOME_UNKNOWN');

/** A master with replicas, each behind a proxy. The nodes reach the master through one of their own. */
async function replicated(count = 1) {
  const master = await ownServer('--repl-diskless-sync-delay', '0');
  const replicas = await Promise.all(
    Array.from({ length: count }, async () => {
      const [server, link] = [await ownServer(), await ownProxy(master.url)];
      const admin = operator(server.url);
      await admin.replicaof('127.0.0.1', new URL(link.url).port);
      return { server, link, admin };
    }),
  );
  const admin = operator(master.url);
  await expect.poll(() => admin.info('replication')).toContain(`connected_slaves:${count}`);
  await admin.set('other', '1');
  await expect.poll(() => admin.wait(count, 100)).toBe(count);
  const way = await ownProxy(master.url);
  return { master, admin, replicas, way };
}

async function callsOf(admin: ReturnType<typeof operator>, command: string): Promise<number> {
  const found = new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await admin.info('commandstats'));
  return Number(found?.[1] ?? 0);
}

/** How long a call takes, in milliseconds. */
async function timed(call: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await call();
  return performance.now() - before;
}

const receive = (store: Mempool, ordering: Ordering, n: number, operationId?: string) =>
  store.receive([ordering === 'fifo' ? transaction(n) : priced(n)], { operationId });

test.for(['fifo', 'priority'] as const)(
  'a write that its replicas do not confirm has an unknown outcome after its wait, and its repeat is answered when they have it: %s',
  async (ordering) => {
    const { admin, replicas, way } = await replicated();
    const { store } = await openPool({
      url: way.url,
      ordering,
      minReplicas: 1,
      replicaTimeoutMs: 200,
      timeoutMs: 5_000,
    });
    expect(await receive(store, ordering, 1)).toMatchObject([{ kind: 'received', seq: 1 }]);
    const [{ link, admin: copy }] = replicas as [(typeof replicas)[number]];
    link.freeze();
    const takenMs = await timed(() => assert.rejects(receive(store, ordering, 2, 'two'), lost));
    expect(takenMs).toBeLessThan(1_000);
    await assert.rejects(receive(store, ordering, 2, 'two'), lost);
    expect(await store.usage()).toMatchObject({ pending: 2 });
    link.thaw();
    await expect
      .poll(() => receive(store, ordering, 2, 'two').catch(() => []))
      .toMatchObject([{ kind: 'received', seq: 2 }]);
    expect(await copy.zcard('{mempool}:idx')).toBe(2);
    expect(await admin.zcard('{mempool}:idx')).toBe(2);
  },
);

test('reads do not stand behind a wait, and calls that are made together share one', async () => {
  const { admin, replicas, way } = await replicated();
  const { store } = await openPool({ url: way.url, minReplicas: 1, replicaTimeoutMs: 1_500 });
  const before = await callsOf(admin, 'wait');
  await Promise.all(Array.from({ length: 100 }, (_, n) => store.receive(transactions(n + 1))));
  expect(await callsOf(admin, 'wait')).toBeLessThan(before + 10);
  replicas[0]?.link.freeze();
  const write = store.receive(transactions(101)).catch((error: unknown) => error);
  expect(await store.usage()).toMatchObject({ pending: 101 });
  const readMs = await timed(() => store.status([hashOf(101)]));
  expect(readMs).toBeLessThan(1_000);
  expect(await write).toSatisfy(lost);
});

test('M2: a read that was not awaited sees the write before it, though it goes another way', async () => {
  const { way } = await replicated();
  const { store } = await openPool({ url: way.url, minReplicas: 1 });
  for (let n = 1; n <= 20; n += 1) {
    const write = store.receive(transactions(n));
    expect(await store.usage()).toMatchObject({ pending: n });
    await write;
  }
});

test.for(['before the request', 'after the request', 'before the reply'] as const)(
  'X2: a write whose connection is cut %s is repeated, and counts only when replicas have it',
  async (where) => {
    const { replicas, way } = await replicated();
    const { store } = await openPool({ url: way.url, minReplicas: 1, replicaTimeoutMs: 200 });
    await receive(store, 'fifo', 1);
    replicas[0]?.link.freeze();
    const cut = way.cutNext(where);
    await assert.rejects(receive(store, 'fifo', 2, 'two'), lost);
    await cut;
    replicas[0]?.link.thaw();
    const again = () => receive(store, 'fifo', 2, 'two').catch(() => []);
    await expect.poll(again).toMatchObject([{ kind: 'received', seq: 2 }]);
    expect(await replicas[0]?.admin.zcard('{mempool}:idx')).toBe(2);
  },
);

test('X2: a write that is repeated after it waited in vain is the same one, though others were made meanwhile', async () => {
  const { admin, replicas, way } = await replicated();
  const { store } = await openPool({ url: way.url, minReplicas: 1, replicaTimeoutMs: 10_000, timeoutMs: 30_000 });
  await store.receive(transactions(1));
  replicas[0]?.link.freeze();
  const first = store.receive(transactions(2));
  await expect.poll(() => admin.zcard('{mempool}:idx')).toBe(2);
  const second = store.receive(transactions(3));
  // Ends the wait of the first, whose answer has come, and of the second, which stands behind it.
  way.thaw();
  replicas[0]?.link.thaw();
  expect(await Promise.all([first, second])).toMatchObject([
    [{ kind: 'received', hash: hashOf(2), seq: 2 }],
    [{ kind: 'received', hash: hashOf(3), seq: 3 }],
  ]);
});

test('a full server goes on with what frees memory, and still waits for replicas', async () => {
  const { admin, replicas, way } = await replicated();
  const { store } = await openPool({ url: way.url, minReplicas: 1 });
  await store.receive(transactions(1, 2));
  await admin.config('SET', 'maxmemory', '1');
  await assert.rejects(store.receive(transactions(3)), fails('ERR_MEMPOOL_STORE_FULL'));
  expect(await store.drop([hashOf(1)], 'failed', { operationId: 'drop' })).toEqual([hashOf(1)]);
  expect(await store.drop([hashOf(1)], 'failed', { operationId: 'drop' })).toEqual([hashOf(1)]);
  const scores = await replicas[0]?.admin.zcount('{mempool}:idx', 0, 999_999_999_999_999);
  expect(scores).toBe(1);
});

test('a node that may not wait is told so when it opens, and so is one whose server has too few replicas', async () => {
  const { admin, way } = await replicated();
  const { lines } = await openPool({ url: way.url, minReplicas: 2 });
  expect(lines.map(({ message }) => message).join()).toContain('minReplicas is 2');
  await admin.call('ACL', 'SETUSER', 'node', 'on', '>secret', '~*', '&*', '+@all', '-wait');
  const url = way.url.replace('//', '//node:secret@');
  await assert.rejects(redis.open({ url, minReplicas: 1 }), fails('ERR_MEMPOOL_PERMISSION', { command: 'WAIT' }));
});

test.for([
  ['minReplicas', { minReplicas: -1 }],
  ['minReplicas', { minReplicas: 1.5 }],
  ['replicaTimeoutMs', { replicaTimeoutMs: 0 }],
  ['replicaTimeoutMs', { replicaTimeoutMs: 6_000, timeoutMs: 5_000 }],
] as const)('refuses a bad %s: %o', async ([field, options]) => {
  await assert.rejects(redis.open({ url: 'redis://127.0.0.1:1', ...options }), fails('ERR_MEMPOOL_INVALID', { field }));
});

test('a lease that too few replicas have is not held, so its node does not lead', async () => {
  const { replicas, way } = await replicated();
  const leases = await openLeases({ url: way.url, minReplicas: 1, replicaTimeoutMs: 50 });
  replicas[0]?.link.freeze();
  await assert.rejects(leases.campaign(request('a')), { code: 'ERR_ELECTION_UNAVAILABLE' });
  replicas[0]?.link.thaw();
  await expect
    .poll(() =>
      leases.campaign(request('a')).then(
        ({ kind }) => kind,
        () => null,
      ),
    )
    .toBe('won');
});

test('a lease whose wait the server ends, as when it is demoted, is not held, and not refused for good', async () => {
  const { admin, replicas, way } = await replicated();
  const leases = await openLeases({ url: way.url, minReplicas: 1, replicaTimeoutMs: 5_000 });
  replicas[0]?.link.freeze();
  const unblocked = assert.rejects(leases.campaign(request('a')), { code: 'ERR_ELECTION_UNAVAILABLE' });
  const waiting = async () => /id=(\d+) .*cmd=wait/.exec(String(await admin.call('CLIENT', 'LIST')))?.[1] ?? '';
  await expect.poll(waiting).not.toBe('');
  await admin.call('CLIENT', 'UNBLOCK', await waiting(), 'ERROR');
  await unblocked;
});

test('a large page, whose payloads come behind it, shows the writes that the node sent before it', async () => {
  const { way } = await replicated();
  const { store } = await openPool({ url: way.url, minReplicas: 1 });
  const given = Array.from({ length: 100 }, (_, i) => transaction(i + 1));
  const [, page] = await Promise.all([store.receive(given), store.peekPending({ limit: 1_000 })]);
  expect(page.transactions).toMatchObject(given.map(({ hash }) => ({ hash })));
});

test('E3, X4: a replica that is promoted without the last writes: readers are told, and the block is applied again', async () => {
  const { master, replicas, way } = await replicated();
  const [{ server, link, admin: copy }] = replicas as [(typeof replicas)[number]];
  const { store } = await openPool({ url: way.url, timeoutMs: 15_000 });
  const events = (await store.subscribe())[Symbol.asyncIterator]();
  const next = async () => (await events.next()).value;
  await store.receive(transactions(1));
  expect(await next()).toMatchObject({ eventSeq: 1 });
  await expect.poll(() => copy.zcard('{mempool}:idx')).toBe(1);
  link.freeze();
  const block = { point: point(1), seen: [hashOf(1)], unseen: [] };
  await store.receive(transactions(2));
  await store.confirm(block);
  while ((await next())?.kind !== 'block');
  await master.kill();
  await copy.replicaof('NO', 'ONE');
  way.switchTo(server.url);
  expect(await store.tip()).toMatchObject({ point: null, tick: 0 });
  expect(await store.confirm(block)).toMatchObject({ kind: 'applied' });
  const kinds: (string | undefined)[] = [];
  while (kinds.at(-1) !== 'block') kinds.push((await next())?.kind);
  expect(kinds.filter((kind) => kind === 'lagged')).toHaveLength(1);
  expect(await store.status([hashOf(1), hashOf(2)])).toMatchObject([{ stage: 'Confirmed' }, { stage: 'Unknown' }]);
});
