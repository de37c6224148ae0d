import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { poolState } from 'mempool-core/backend';
import { redis, redisElection } from 'mempool-redis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { hashOf, point, transaction, transactions } from '../chain.ts';
import { fails as failsElection, openOptions } from '../election/node.ts';
import { openPool, operator, ownServer } from '../own-server.ts';
import { mirrorNode } from '../priority/node.ts';
import { numbers, priced } from '../priority/priced.ts';
import { fails, rights, userWith } from '../refusal.ts';

const orderings = ['fifo', 'priority'] as const;

test('the rights that the README names are enough for a whole life and its events', async () => {
  const { store, lines } = await openPool({ url: await userWith(rights.fifo), maxFinalized: 1 });
  const stream = (await store.subscribe())[Symbol.asyncIterator]();
  await store.receive(transactions(1, 2, 3, 4));
  await store.markInflight([hashOf(1), hashOf(2), hashOf(3)]);
  await store.markAcknowledged([hashOf(1)]);
  await store.release([hashOf(1)]);
  await store.drop([hashOf(4)], 'failed');
  const block = { point: point(1), seen: [hashOf(1), hashOf(2)], unseen: [hashOf(3)] };
  await store.confirm(block, { finalizeThreshold: 1 });
  await store.rollback('origin');
  await store.peekPending();
  await store.peekInflight();
  await store.findInflight([hashOf(1)]);
  await store.status([hashOf(1), hashOf(4)]);
  await store.dumpFinalized();
  await store.tip({ points: 1 });
  expect((await stream.next()).value).toMatchObject({ eventSeq: 1, hash: hashOf(1) });
  expect(lines.filter(({ message }) => message.includes('appendonly'))).toHaveLength(1);
});

test('the rights that the README names are enough for a priority pool', async () => {
  const options = { url: await userWith(rights.priority), ordering: 'priority', maxFinalized: 1, maxTxs: 3 } as const;
  const [{ store }, { store: other }] = [await openPool(options), await openPool(options)];
  await store.receive(numbers(5).map((n) => priced(n, { provides: [`${n}`] })));
  await Promise.all([store, other].map((each, n) => each.receive([priced(10 + n, { priority: 2_000n })])));
  await store.confirm({ point: point(1), seen: [hashOf(10)], unseen: [], provides: ['1'] }, { finalizeThreshold: 1 });
  await other.rollback('origin');
  await poolState(other);
  expect(await store.flush()).toBeGreaterThan(0);
  await openPool(options);
});

test.for([
  ['election', rights.election],
  ['fifo', rights.fifo],
  ['pool', rights.fifo],
  ['priority', rights.priority],
] as const)('the README names the right to each command of the scripts in %s', async ([folder, given]) => {
  const at = new URL(`../../lua/${folder}/`, import.meta.url);
  const scripts = await Promise.all((await readdir(at)).map((file) => readFile(new URL(file, at), 'utf8')));
  const commands = new Set([...scripts.join('').matchAll(/\bcall\('([A-Z]+)'/g)].map(([, command = '']) => command));
  expect(commands.size).toBeGreaterThan(5);
  expect([...commands].filter((command) => !given.includes(`+${command.toLowerCase()}`))).toEqual([]);
});

test.for([
  ...rights.fifo.filter((right) => right.startsWith('+') && right !== '+info').map((right) => ['fifo', right] as const),
  ...rights.ofPriority.map((right) => ['priority', right] as const),
])('a pool ordered by %s is not opened without %s, and the error names the command', async ([ordering, right]) => {
  const url = await userWith(rights[ordering].filter((other) => other !== right));
  const command = right.slice(1).toUpperCase();
  await assert.rejects(redis.open({ url, ordering }), fails('ERR_MEMPOOL_PERMISSION', { command }));
});

test('a user without rights to the keys is refused', async () => {
  const url = await userWith(rights.fifo.map((right) => right.replace('mempool', 'other')));
  await assert.rejects(redis.open({ url }), fails('ERR_MEMPOOL_PERMISSION'));
});

test('a wrong password, none, and a wrong user are refused at once', async () => {
  const server = await ownServer('--requirepass', 'right');
  const url = (credentials: string) => server.url.replace('//', `//${credentials}`);
  for (const wrong of [':wrong@', '', 'nobody:right@']) {
    await assert.rejects(redis.open({ url: url(wrong) }), fails('ERR_MEMPOOL_AUTH'));
    await assert.rejects(redisElection.open(openOptions({ url: url(wrong) })), failsElection('ERR_ELECTION_REFUSED'));
  }
  const { store } = await openPool({ url: url(':right@') });
  expect(await store.receive(transactions(1))).toMatchObject([{ kind: 'received' }]);
});

test('a database number is used, and one that the server lacks is refused', async () => {
  const server = await ownServer();
  const { store } = await openPool({ url: `${server.url}/3` });
  await store.receive(transactions(1));
  expect(await operator(`${server.url}/3`).exists('{mempool}:meta')).toBe(1);
  expect(await operator(`${server.url}/0`).exists('{mempool}:meta')).toBe(0);
  await assert.rejects(redis.open({ url: `${server.url}/99` }), fails('ERR_MEMPOOL_INCOMPATIBLE'));
});

test('a server with too many clients is named', async () => {
  const server = await ownServer('--maxclients', '1');
  const admin = operator(server.url);
  await admin.ping();
  const message = /max number of clients/;
  for (const url of [server.url, server.url.replace('//', '//:secret@')])
    await assert.rejects(redis.open({ url, timeoutMs: 2_000 }), { code: 'ERR_MEMPOOL_UNAVAILABLE', message });
});

test('the query of a URL is refused by the names of its parameters, and a password is not shown', async () => {
  const refused = (message: RegExp) => ({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'url' }, message });
  const url = inject('redisUrl');
  await assert.rejects(redis.open({ url: `${url}?tls=true&db=3` }), refused(/tls, db/));
  await assert.rejects(redis.open({ url: `${url}?` }), refused(/query/));
  await assert.rejects(redis.open({ url: `${url}#3` }), refused(/query/));
  await assert.rejects(redis.open({ url: 'redis://user:123?geheim@localhost' }), refused(/^(?!.*geheim)/));
});

test.for(orderings)(
  'M3: a full server refuses what is received and changes nothing; what makes room goes on: %s',
  async (ordering) => {
    const server = await ownServer('--maxmemory-policy', 'noeviction');
    const { store } = await openPool({ url: server.url, ordering, maxFinalized: 1, maxTxs: 40 });
    const make = (n: number, bytes = 8) => (ordering === 'fifo' ? transaction(n, bytes) : priced(n, {}, bytes));
    for (const n of numbers(20)) await store.receive([make(2 * n, 10_000), make(2 * n + 1, 10_000)]);
    const state = async () => [
      ...[await store.usage(), await store.reap(), (await store.peekPending({ limit: 1_000 })).transactions],
      ordering === 'priority' ? await poolState(store) : null,
    ];
    const before = await state();
    const admin = operator(server.url);
    await admin.config('SET', 'maxmemory', '1000000');
    for (const given of [[make(100)], [make(2), make(100)]])
      await assert.rejects(store.receive(given), fails('ERR_MEMPOOL_STORE_FULL'));
    assert.deepEqual(await state(), before);
    if (ordering === 'priority') expect(await store.receive([make(2)])).toMatchObject([{ kind: 'duplicate' }]);
    const { transactions: taken } = await store.take({ maxTxs: 2 }, { owner: 'me', claimMs: 1_000 });
    expect(taken).toHaveLength(2);
    const seen = taken.map(({ hash }) => hash);
    expect(await store.confirm({ point: point(1), seen, unseen: [] })).toMatchObject({ kind: 'applied', confirmed: 2 });
    expect(await store.rollback('origin')).toMatchObject({ kind: 'rolled-back', returned: 2 });
    expect(await store.drop([hashOf(2)], 'failed')).toEqual([hashOf(2)]);
    expect(await store.flush()).toBe(39);
    await assert.rejects(store.receive([make(100)]), fails('ERR_MEMPOOL_STORE_FULL'));
    await admin.config('SET', 'maxmemory', '0');
    expect(await store.receive([make(100)])).toMatchObject([{ kind: 'received', seq: 41 }]);
    if (ordering === 'fifo') return;
    const node = mirrorNode(server.url, 'mempool');
    expect(await node.remembered()).toEqual(await node.stored());
  },
);

test('M3: a full server can be opened', async () => {
  const server = await ownServer('--maxmemory', '100000');
  const { store } = await openPool({ url: server.url });
  await assert.rejects(store.receive(transactions(1)), fails('ERR_MEMPOOL_STORE_FULL'));
  expect(await store.usage()).toMatchObject({ pending: 0 });
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

const keysOfBoth = ['idx', 'flight', 'body', 'log', 'blocks', 'seen', 'events', 'calls', 'calls:old'];
const keys = [
  ...[...keysOfBoth, 'meta', 'ops', 'ops:old'].map((name) => ['fifo', name] as const),
  ...[...keysOfBoth, 'meta', 'entries', 'tags', 'changes'].map((name) => ['priority', name] as const),
];

test.for(keys)(
  'N2, X1: in a pool ordered by %s a key %s of another type is named, at open and later, and nothing is written',
  async ([ordering, name]) => {
    const [url, pool] = [inject('redisUrl'), randomUUID()];
    const admin = operator(url);
    const key = `{${pool}}:${name}`;
    const named = fails('ERR_MEMPOOL_INCOMPATIBLE', { key });
    await admin.lpush(key, 'mine');
    await assert.rejects(redis.open({ url, pool, ordering }), named);
    expect(await admin.keys(`{${pool}}*`)).toEqual([key]);
    await admin.del(key);
    const { store } = await openPool({ url, pool, ordering });
    await store.receive(transactions(1));
    const kept = await admin.dumpBuffer(key);
    await admin.del(key);
    await admin.lpush(key, 'mine');
    const others = async () => {
      const names = (await admin.keys(`{${pool}}*`)).sort();
      return Promise.all(names.map(async (each) => [each, (await admin.dumpBuffer(each))?.toString('hex')]));
    };
    const before = await others();
    // Only a call with an id of the caller's own touches the keys of such ids.
    const operationId = name.startsWith('ops') ? 'an id' : undefined;
    await assert.rejects(store.receive(transactions(2), { operationId }), named);
    await assert.rejects(store.drop([hashOf(1)], 'failed', { operationId }), named);
    expect(await others()).toEqual(before);
    await admin.del(key);
    if (kept !== null) await admin.restore(key, 0, kept);
    expect(await store.receive(transactions(2))).toMatchObject([{ kind: 'received', seq: 2 }]);
    await admin.unlink(await admin.keys(`{${pool}}*`));
  },
);

test('N2: a pool has the format of its ordering, and no key of the other', async () => {
  const [url, admin] = [inject('redisUrl'), operator(inject('redisUrl'))];
  const [ranked, plain] = [randomUUID(), randomUUID()];
  await openPool({ url, pool: ranked, ordering: 'priority' });
  await openPool({ url, pool: plain });
  expect(await admin.hget(`{${ranked}}:meta`, 'format')).toBe('1001');
  expect(await admin.hget(`{${plain}}:meta`, 'format')).toBe('1');
  expect(await admin.exists(...['entries', 'tags', 'changes'].map((key) => `{${plain}}:${key}`))).toBe(0);
});

test('N2: a node notices that its pool was made anew with the other order', async () => {
  const { url } = await ownServer();
  const { store: plain } = await openPool({ url, pool: 'a' });
  const { store: ranked } = await openPool({ url, pool: 'b', ordering: 'priority' });
  await operator(url).flushall();
  await openPool({ url, pool: 'a', ordering: 'priority' });
  await openPool({ url, pool: 'b' });
  for (const store of [plain, ranked]) {
    await assert.rejects(
      store.receive([{ hash: hashOf(1), payload: Buffer.from('1'), payloadType: 0 }]),
      fails('ERR_MEMPOOL_INCOMPATIBLE'),
    );
    await assert.rejects(store.usage(), fails('ERR_MEMPOOL_INCOMPATIBLE'));
    await assert.rejects(store.tip(), fails('ERR_MEMPOOL_INCOMPATIBLE'));
  }
});

test.for([
  { format: '1', orderings: ['priority'], words: 'it is ordered by arrival' },
  { format: '1001', orderings: ['fifo'], words: 'it is ordered by priority' },
  {
    format: '2',
    orderings: ['fifo', 'priority'],
    words: 'it is stored in format 2, which this version does not know',
  },
] as const)(
  'N2: a pool of format $format, of another order or unknown, is refused, and nothing is changed',
  async ({ format, orderings, words }) => {
    const url = inject('redisUrl');
    const admin = operator(url);
    for (const ordering of orderings) {
      const pool = randomUUID();
      const meta = `{${pool}}:meta`;
      const { store } = await openPool({ url, pool, ordering });
      await store.receive(transactions(1));
      await admin.hset(meta, 'format', format);
      const before = await admin.hgetall(meta);
      const opening = redis.open({ url, pool, ordering });
      await expect(opening).rejects.toThrow(`the pool cannot be used: ${words}`);
      await assert.rejects(opening, fails('ERR_MEMPOOL_INCOMPATIBLE'));
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
    await assert.rejects(redisElection.open(openOptions({ url })), failsElection('ERR_ELECTION_OPTION', 'url'));
  },
);
