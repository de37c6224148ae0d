import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { isMempoolError, type MempoolError, type MempoolErrorCode } from 'mempool-core';
import { redis } from 'mempool-redis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { hashOf, point, transaction, transactions } from '../chain.ts';
import { openPool, operator, ownServer } from '../own-server.ts';

const fails =
  (code: MempoolErrorCode, details: object = {}) =>
  (error: unknown) => {
    assert.ok(isMempoolError(error), `not an error of ours: ${error}`);
    assert.equal(error.code, code, error.message);
    expect((error as MempoolError).details).toMatchObject(details);
    return true;
  };

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const [, named] = /^ACL SETUSER mempool-node on >secret (.+)$/m.exec(readme) as RegExpExecArray;

/** The rights that the README names. */
const rights = (prefix: string) => (named as string).replace('dolos:mempool', prefix).split(' ');

test('the rights that the README names are enough for a whole life and its events', async () => {
  const server = await ownServer();
  await operator(server.url).call('ACL', 'SETUSER', 'node', 'on', '>secret', ...rights('mempool'));
  const { store, lines } = await openPool({ url: server.url.replace('//', '//node:secret@'), maxFinalized: 1 });
  const stream = (await store.subscribe())[Symbol.asyncIterator]();
  await store.receive(transactions(1, 2, 3, 4));
  await store.markInflight([hashOf(1), hashOf(2), hashOf(3)]);
  await store.markAcknowledged([hashOf(1)]);
  await store.release([hashOf(1)]);
  await store.drop([hashOf(4)], 'unwanted');
  const block = { point: point(1), seen: [hashOf(1), hashOf(2)], unseen: [hashOf(3)] };
  await store.confirm(block, { finalizeThreshold: 1 });
  await store.rollback(null);
  await store.peekPending();
  await store.peekInflight();
  await store.findInflight([hashOf(1)]);
  await store.checkStatus([hashOf(1), hashOf(4)]);
  await store.dumpFinalized();
  await store.tip({ points: 1 });
  expect((await stream.next()).value).toMatchObject({ eventSeq: 1, hash: hashOf(1) });
  expect(lines.filter(({ message }) => message.includes('appendonly'))).toHaveLength(1);
});

test.for(rights('mempool').filter((right) => right.startsWith('+') && right !== '+info'))(
  'without %s a node is not opened, and is told the command',
  async (right) => {
    const server = await ownServer();
    const given = rights('mempool').filter((other) => other !== right);
    await operator(server.url).call('ACL', 'SETUSER', 'node', 'on', '>secret', ...given);
    const url = server.url.replace('//', '//node:secret@');
    const command = right.slice(1).toUpperCase();
    await assert.rejects(redis.open({ url }), fails('ERR_MEMPOOL_PERMISSION', { command }));
  },
);

test('a user without rights to the keys is refused', async () => {
  const server = await ownServer();
  await operator(server.url).call('ACL', 'SETUSER', 'node', 'on', '>secret', ...rights('other'));
  await assert.rejects(
    redis.open({ url: server.url.replace('//', '//node:secret@') }),
    fails('ERR_MEMPOOL_PERMISSION'),
  );
});

test('a wrong password, none, and a wrong user are refused at once', async () => {
  const server = await ownServer('--requirepass', 'right');
  const open = (credentials: string) => redis.open({ url: server.url.replace('//', `//${credentials}`) });
  await assert.rejects(open(':wrong@'), fails('ERR_MEMPOOL_AUTH'));
  await assert.rejects(open(''), fails('ERR_MEMPOOL_AUTH'));
  await assert.rejects(open('nobody:right@'), fails('ERR_MEMPOOL_AUTH'));
  const { store } = await openPool({ url: server.url.replace('//', '//:right@') });
  expect(await store.receive(transactions(1))).toMatchObject([{ kind: 'received' }]);
});

test('no error shows the password', async () => {
  const server = await ownServer('--requirepass', 'right');
  const opening = redis.open({ url: server.url.replace('//', '//:pa55word@') });
  const error = await opening.catch((refused: unknown) => refused);
  const { inspect } = await import('node:util');
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('pa55word');
});

test('a database number is used, and one that the server lacks is refused', async () => {
  const server = await ownServer();
  const { store } = await openPool({ url: `${server.url}/3` });
  await store.receive(transactions(1));
  expect(await operator(`${server.url}/3`).exists('{mempool}:meta')).toBe(1);
  expect(await operator(`${server.url}/0`).exists('{mempool}:meta')).toBe(0);
  await assert.rejects(redis.open({ url: `${server.url}/99` }), fails('ERR_MEMPOOL_INCOMPATIBLE'));
});

test('M3: a full server refuses what is received and changes nothing; blocks and drops make room', async () => {
  const server = await ownServer('--maxmemory-policy', 'noeviction');
  const { store } = await openPool({ url: server.url, maxFinalized: 1 });
  for (let n = 0; n < 20; n++) await store.receive([transaction(2 * n, 10_000), transaction(2 * n + 1, 10_000)]);
  await store.markInflight([0, 1, 2].map(hashOf));
  const before = [await store.usage(), await store.peekPending({ limit: 1_000 })];
  const admin = operator(server.url);
  await admin.config('SET', 'maxmemory', '1000000');
  await assert.rejects(store.receive([transaction(100)]), fails('ERR_MEMPOOL_STORE_FULL'));
  await assert.rejects(store.receive([transaction(0), transaction(100)]), fails('ERR_MEMPOOL_STORE_FULL'));
  assert.deepEqual([await store.usage(), await store.peekPending({ limit: 1_000 })], before);
  const seen = [hashOf(0), hashOf(1)];
  expect(await store.confirm({ point: point(1), seen, unseen: [] })).toMatchObject({ kind: 'applied', confirmed: 2 });
  expect(await store.rollback(null)).toMatchObject({ kind: 'rolled-back', returned: 2 });
  const doomed = Array.from({ length: 37 }, (_, i) => hashOf(i + 3));
  expect(await store.drop(doomed, 'no room')).toEqual(doomed);
  await assert.rejects(store.receive([transaction(100)]), fails('ERR_MEMPOOL_STORE_FULL'));
  await admin.config('SET', 'maxmemory', '0');
  expect(await store.receive([transaction(100)])).toMatchObject([{ kind: 'received' }]);
});

test('M3: a full server can be opened', async () => {
  const server = await ownServer('--maxmemory', '100000');
  const { store } = await openPool({ url: server.url });
  await assert.rejects(store.receive(transactions(1)), fails('ERR_MEMPOOL_STORE_FULL'));
  expect(await store.usage()).toMatchObject({ pending: 0 });
});

test('a read-only replica is refused, at open and when a server becomes one', async () => {
  const server = await ownServer();
  const replica = await ownServer('--replicaof', '127.0.0.1', String(server.port));
  await assert.rejects(redis.open({ url: replica.url }), fails('ERR_MEMPOOL_READ_ONLY'));
  const { store } = await openPool({ url: server.url });
  await operator(server.url).replicaof('127.0.0.1', replica.port);
  await assert.rejects(store.receive(transactions(1)), fails('ERR_MEMPOOL_READ_ONLY'));
});

test('open warns of an eviction policy that may lose transactions and of a missing append-only file', async () => {
  const risky = await ownServer('--maxmemory-policy', 'allkeys-lru');
  const { lines } = await openPool({ url: risky.url });
  expect(lines).toMatchObject([
    { level: 'warn', message: expect.stringContaining('allkeys-lru') },
    { level: 'warn', message: expect.stringContaining('appendonly') },
  ]);
  const safe = await ownServer('--appendonly', 'yes');
  expect((await openPool({ url: safe.url })).lines).toEqual([]);
});

test.for(['meta', 'idx', 'flight', 'body', 'log', 'blocks', 'seen', 'events', 'ops', 'ops:old', 'calls', 'calls:old'])(
  'N2: a key %s of another type is named, at open and later, and nothing is changed',
  async (name) => {
    const url = inject('redisUrl');
    const admin = operator(url);
    const pool = randomUUID();
    const key = `{${pool}}:${name}`;
    await admin.lpush(key, 'mine');
    await assert.rejects(redis.open({ url, pool }), fails('ERR_MEMPOOL_INCOMPATIBLE', { key }));
    expect(await admin.keys(`{${pool}}*`)).toEqual([key]);
    await admin.del(key);
    const { store } = await openPool({ url, pool });
    await admin.del(key);
    await admin.lpush(key, 'mine');
    const operationId = name.startsWith('ops') ? 'an id' : undefined;
    const receiving = store.receive(transactions(1), { operationId });
    await assert.rejects(receiving, fails('ERR_MEMPOOL_INCOMPATIBLE', { key }));
    expect(await admin.hlen(`{${pool}}:body`).catch(() => 0)).toBe(0);
    expect(await admin.zcard(`{${pool}}:idx`).catch(() => 0)).toBe(0);
    await admin.unlink(await admin.keys(`{${pool}}*`));
  },
);

test.for([
  { format: '1', orderings: ['priority'] },
  { format: '2', orderings: ['fifo'] },
  { format: '5', orderings: ['fifo', 'priority'] },
] as const)(
  'N2: a pool of format $format, of another order or newer, is refused, and nothing is changed',
  async ({ format, orderings }) => {
    const url = inject('redisUrl');
    const admin = operator(url);
    for (const ordering of orderings) {
      const pool = randomUUID();
      const meta = `{${pool}}:meta`;
      const { store } = await openPool({ url, pool, ordering });
      await store.receive(transactions(1));
      await admin.hset(meta, 'format', format);
      const before = await admin.hgetall(meta);
      await assert.rejects(redis.open({ url, pool, ordering }), fails('ERR_MEMPOOL_INCOMPATIBLE'));
      await assert.rejects(store.receive(transactions(2)), fails('ERR_MEMPOOL_INCOMPATIBLE'));
      await assert.rejects(
        store.markInflight(transactions(1).map(({ hash }) => hash)),
        fails('ERR_MEMPOOL_INCOMPATIBLE'),
      );
      await assert.rejects(store.usage(), fails('ERR_MEMPOOL_INCOMPATIBLE'));
      expect(await admin.hgetall(meta)).toEqual(before);
      await admin.unlink(await admin.keys(`{${pool}}*`));
    }
  },
);

test('N2: a pool of another name and one without its numbers are refused', async () => {
  const url = inject('redisUrl');
  const admin = operator(url);
  const pool = randomUUID();
  const { store } = await openPool({ url, pool });
  await store.receive(transactions(1));
  await assert.rejects(redis.open({ url, pool: 'other', keyPrefix: pool }), fails('ERR_MEMPOOL_INCOMPATIBLE'));
  await admin.del(`{${pool}}:meta`);
  await assert.rejects(redis.open({ url, pool }), fails('ERR_MEMPOOL_INCOMPATIBLE'));
  await assert.rejects(store.receive(transactions(2)), fails('ERR_MEMPOOL_INCOMPATIBLE'));
  await admin.unlink(await admin.keys(`{${pool}}*`));
});

test('N2: pools with prefixes of every kind do not mix', async () => {
  const url = inject('redisUrl');
  const id = randomUUID();
  const prefixes = [id, `${id}:a`, `{${id}}:b`, `a{${id}}c`, `${id}{}`, `}${id}{`];
  const stores = await Promise.all(prefixes.map((keyPrefix) => openPool({ url, keyPrefix, pool: keyPrefix })));
  for (const [i, { store }] of stores.entries()) await store.receive(transactions(...Array(i + 1).keys()));
  for (const [i, { store }] of stores.entries()) expect(await store.usage()).toMatchObject({ pending: i + 1 });
  const admin = operator(url);
  await admin.unlink(await admin.keys(`*${id}*`));
});

test('too old a server is refused with the version needed', async () => {
  const server = await ownServer('--rename-command', 'ZMSCORE', '');
  await assert.rejects(redis.open({ url: server.url }), (error) => {
    expect((error as Error).message).toContain('6.2');
    return fails('ERR_MEMPOOL_INCOMPATIBLE', { command: 'ZMSCORE' })(error);
  });
});

test('open warns of keys of the original design under the prefix, by the names redis-cli takes', async () => {
  const server = await ownServer('--appendonly', 'yes');
  const admin = operator(server.url);
  await admin.lpush('dolos:mempool:pending', 'x');
  await admin.hset('{dolos:mempool}:inflight', 'x', '1');
  await admin.set('dolos:mempool:watcher:lock', 'node');
  await admin.set('{dolos:mempool}:watcher:lock', 'node');
  await admin.hset('{dolos:mempool}:watcher:lease', 'id', 'node');
  const { lines } = await openPool({ url: server.url, keyPrefix: 'dolos:mempool' });
  const named = lines.map(({ message }) => message.split(' ', 1)[0]);
  expect(named.sort()).toEqual(['dolos:mempool:pending', 'dolos:mempool:watcher:lock', '{dolos:mempool}:inflight']);
});

test('something that is not Redis is unavailable, not a hang', async () => {
  const server = createServer((socket) => void socket.on('error', () => {}).write('SSH-2.0-OpenSSH_9.6\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  await assert.rejects(
    redis.open({ url: `redis://127.0.0.1:${port}`, timeoutMs: 400 }),
    fails('ERR_MEMPOOL_UNAVAILABLE'),
  );
});

test.for(['', 'mempool', 'http://127.0.0.1', 'redis://127.0.0.1/name', 'redis://:%zz@127.0.0.1'])(
  'the URL "%s" is refused, naming the option',
  async (url) => {
    await assert.rejects(redis.open({ url }), fails('ERR_MEMPOOL_INVALID', { field: 'url' }));
  },
);
