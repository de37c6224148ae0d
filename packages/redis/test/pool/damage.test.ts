import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OpenOptions } from 'mempool-core';
import { redis } from 'mempool-redis';
import { cursorAt } from 'mempool-testkit';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transaction, transactions } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { numbers, priced } from '../priority/priced.ts';

// What a pool does without one of its records is a conformance case (M2/damaged-...). Here are other damages.

async function pool() {
  const url = inject('redisUrl');
  const name = randomUUID();
  const { store, lines } = await openPool({ url, pool: name });
  const admin = operator(url);
  const key = (of: string) => `{${name}}:${of}`;
  return { store, lines, admin, key };
}

test.for(['lost', 'cut short'])(
  'M2: a transaction in flight whose record is %s is skipped, and its block confirms it',
  async (how) => {
    const { store, lines, admin, key } = await pool();
    await store.receive(transactions(1, 2));
    await store.markInflight([hashOf(1), hashOf(2)]);
    const field = Buffer.from(hashOf(1), 'hex');
    if (how === 'lost') await admin.hdel(key('body'), field);
    else await admin.hset(key('body'), field, Buffer.from([0, 0, 1]));
    expect((await store.peekInflight()).transactions).toMatchObject([{ seq: 2 }]);
    expect(await store.findInflight([hashOf(2), hashOf(1)])).toMatchObject([{ seq: 2 }, null]);
    expect(lines.filter(({ message }) => message.includes(hashOf(1)))).toHaveLength(1);
    expect(await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] })).toMatchObject({ confirmed: 1 });
  },
);

test('M2: the loss of the key with the times of going out is noticed, and the key goes with its last transaction', async () => {
  const { store, admin, key } = await pool();
  await store.receive(transactions(1, 2, 300));
  await store.markInflight([hashOf(1), hashOf(300)]);
  const bytes = await admin.dumpBuffer(key('sent'));
  await admin.del(key('sent'));
  const gone = { code: 'ERR_MEMPOOL_CORRUPT', message: expect.stringContaining(key('sent')) };
  for (const call of [store.usage(), store.sweep(), store.markInflight([hashOf(2)])])
    await expect(call).rejects.toMatchObject(gone);
  await admin.restore(key('sent'), 0, bytes ?? '');
  await store.release([hashOf(1)]);
  expect(await store.usage()).toMatchObject({ oldestInflight: { hash: hashOf(300) } });
  await store.drop([hashOf(300)], 'failed');
  expect(await admin.hexists(key('meta'), 'sent')).toBe(0);
  expect(await store.usage()).toMatchObject({ pending: 2, oldestInflight: null });
});

const damages: readonly (readonly [what: string, entry: Buffer])[] = [
  ['no bytes', Buffer.alloc(0)],
  ['one byte', Buffer.from('x')],
  ['a head alone', Buffer.alloc(34, 255)],
  ['nothing but ones', Buffer.alloc(300, 255)],
];
const another = ['another transaction', Buffer.alloc(75, 5)] as const;

test.for(damages)('M2: a log entry of %s is corrupt, stepped over and trimmed in its turn', async ([, entry]) => {
  const { store, admin, key } = await pool();
  await store.receive(transactions(1, 2, 3));
  await store.drop([hashOf(1), hashOf(2)], 'failed');
  await admin.hset(key('log'), '1', entry);
  expect(await store.dumpFinalized()).toMatchObject({ entries: [{ hash: hashOf(2) }] });
  expect(await store.status([hashOf(1)])).toMatchObject([{ stage: 'Dropped', reason: 'damaged' }]);
  const from = await cursorAt(store, 'log', 2);
  expect(await store.dumpFinalized({ cursor: from })).toMatchObject({ entries: [{ hash: hashOf(2) }] });
  await admin.hset(key('meta'), 'maxFinalized', '1');
  expect(await store.drop([hashOf(3)], 'failed')).toEqual([hashOf(3)]);
  expect(await store.dumpFinalized()).toMatchObject({ entries: [{ hash: hashOf(3), logSeq: 3 }] });
  expect(await store.status([hashOf(1)])).toMatchObject([{ stage: 'Unknown' }]);
  expect(await admin.hlen(key('body'))).toBe(1);
});

test.for([...damages, another, ['none', undefined] as const])(
  'M2: the rest works beside a log entry of %s',
  async ([, damage]) => {
    const { store, admin, key } = await pool();
    const damaged = (n: number) =>
      damage === undefined ? admin.hdel(key('log'), `${n}`) : admin.hset(key('log'), `${n}`, damage);
    await store.receive(transactions(1, 2, 3, 4));
    await store.drop([hashOf(1), hashOf(2)], 'failed');
    // Without any entry the key would be gone.
    await admin.hset(key('log'), '0', 'of none');
    await damaged(1);
    await damaged(2);
    const events = (await store.subscribe())[Symbol.asyncIterator]();
    const mempool = store;
    const submitted = await Promise.all(transactions(1, 7).map((given) => mempool.submit(given)));
    expect(submitted).toMatchObject([
      { kind: 'received', seq: 5 },
      { kind: 'received', seq: 6 },
    ]);
    const previous = { stage: 'Dropped', confirmations: 0, nonConfirmations: 0 };
    expect((await events.next()).value).toMatchObject({ hash: hashOf(1), stage: 'Pending', previous });
    const block = { point: point(1), seen: [hashOf(2), hashOf(3)], unseen: [] };
    const outcome = await store.confirm(block, { finalizeThreshold: 1 });
    expect(outcome).toMatchObject({ kind: 'applied', confirmed: 1, finalized: 1 });
    expect(await store.status([hashOf(2)])).toMatchObject([{ stage: 'Dropped', reason: 'damaged' }]);
    await damaged(3);
    expect(await store.rollback('origin')).toMatchObject({ kind: 'rolled-back', undone: 1, returned: 0 });
    expect(await store.receive(transactions(2, 3))).toMatchObject([
      { kind: 'received', seq: 7 },
      { kind: 'duplicate', stage: 'Finalized' },
    ]);
  },
);

test('X2: the last 10,000 ids of callers are remembered, however many calls have none', {
  timeout: 120_000,
}, async () => {
  const { store, admin, key } = await pool();
  const [first] = await store.receive(transactions(1), { operationId: 'first' });
  for (let n = 0; n < 11; n++)
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => store.markAcknowledged([hashOf(i)])));
  const others = Array.from({ length: 9_999 }, (_, i) =>
    store.markAcknowledged([hashOf(1)], { operationId: `other ${i}` }),
  );
  await Promise.all(others);
  expect(await store.receive(transactions(1), { operationId: 'first' })).toEqual([first]);
  expect(await admin.hlen(key('calls'))).toBeLessThanOrEqual(10_000);
  expect(await admin.hlen(key('calls:old'))).toBeLessThanOrEqual(10_000);
});

// What only a priority pool keeps.

async function priorityPool() {
  const [url, name] = [inject('redisUrl'), randomUUID()];
  const open = (options: OpenOptions<'priority'> = {}) =>
    openPool<'priority'>({ url, pool: name, ordering: 'priority', ...options });
  return { open, admin: operator(url), key: (of: string) => `{${name}}:${of}` };
}
const field = (n: number) => Buffer.from(hashOf(n), 'hex');

test.for([
  ['that is lost', null],
  ['of no bytes', Buffer.alloc(0)],
  ['of other values', Buffer.from([0x83, 1, 2, 3])],
  ['that is no CBOR', Buffer.alloc(40, 0xff)],
] as const)(
  'M2: a transaction with an entry %s is reported and dropped by the next write; all others go on',
  async ([_, bytes]) => {
    const { open, admin, key } = await priorityPool();
    const { store: before } = await open();
    await before.receive(numbers(4).map((n) => priced(n, { priority: BigInt(n) })));
    await before.close();
    for (const n of [2, 4])
      if (bytes === null) await admin.hdel(key('entries'), field(n));
      else await admin.hset(key('entries'), field(n), bytes);
    const { store, lines } = await open();
    expect(lines.filter(({ level, message }) => level === 'warn' && message.includes('damaged'))).toHaveLength(2);
    expect((await store.reap()).map(({ hash }) => hash)).toEqual([3, 1].map(hashOf));
    expect(await store.receive([priced(2)])).toMatchObject([{ kind: 'received', seq: 5 }]);
    const dropped = { stage: 'Dropped', reason: 'damaged' };
    expect(await store.status([hashOf(2), hashOf(4)])).toMatchObject([{ stage: 'Pending' }, dropped]);
  },
);

test('M2: a damaged log entry is stepped over, its hash can be received again, and the log is trimmed past it', async () => {
  const { open, admin, key } = await priorityPool();
  const { store: before } = await open();
  await before.receive(numbers(3).map((n) => priced(n)));
  await before.drop(numbers(3).map(hashOf), 'failed');
  await before.close();
  await admin.hset(key('log'), '2', Buffer.from('x'));
  const { store } = await open();
  expect((await store.dumpFinalized()).entries.map(({ hash }) => hash)).toEqual([1, 3].map(hashOf));
  expect(await store.receive([priced(2)])).toMatchObject([{ kind: 'received', seq: 4 }]);
  const { store: tight } = await open({ maxFinalized: 1 });
  expect(await tight.drop([hashOf(2)], 'invalid')).toEqual([hashOf(2)]);
  expect(await tight.usage()).toMatchObject({ logged: 1, lastLogSeq: 4 });
  expect(await admin.hlen(key('body'))).toBe(1);
  expect(await admin.hlen(key('entries'))).toBe(1);
});

const common = ['idx', 'flight', 'body', 'log', 'blocks'];
const lost = [
  ...[...common, 'leases', 'taken'].map((name) => ({ ordering: 'fifo', name }) as const),
  ...[...common, 'entries'].map((name) => ({ ordering: 'priority', name }) as const),
];

test.for(lost)(
  'M2: without its key $name a pool ordered by $ordering is corrupt, for every call, and nothing is written',
  async ({ ordering, name }) => {
    const [url, pool] = [inject('redisUrl'), randomUUID()];
    const admin = operator(url);
    const { store } = await openPool({ url, pool, ordering });
    const make = (n: number) => (ordering === 'fifo' ? transaction(n) : priced(n));
    await store.receive([1, 2, 3, 4].map(make));
    await store.take({ maxTxs: 1 }, { owner: 'taker', claimMs: 60_000 });
    await store.drop([hashOf(2)], 'failed');
    await store.confirm({ point: point(1), seen: [hashOf(3)], unseen: [] });
    const key = `{${pool}}:${name}`;
    expect(await admin.del(key)).toBe(1);
    const before = await admin.dump(`{${pool}}:meta`);
    const corrupt = { code: 'ERR_MEMPOOL_CORRUPT', details: { key } };
    const calls: (() => Promise<unknown>)[] = [
      () => store.receive([make(1), make(9)]),
      () => store.markInflight([hashOf(4)]),
      () => store.drop([hashOf(4)], 'failed'),
      () => store.confirm({ point: point(2), seen: [hashOf(4)], unseen: [] }),
      () => store.rollback('origin'),
      () => store.reap(),
      () => store.peekPending(),
      () => redis.open({ url, pool, ordering }),
    ];
    for (const call of calls) await assert.rejects(call(), corrupt);
    expect(await admin.dump(`{${pool}}:meta`)).toEqual(before);
    await admin.unlink(await admin.keys(`{${pool}}*`));
  },
);
