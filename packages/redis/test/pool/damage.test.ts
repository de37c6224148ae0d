import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isMempoolError, Mempool, type MempoolError } from 'mempool-core';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transaction, transactions } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';

const isCorrupt = (details: object) => (error: unknown) => {
  assert.ok(isMempoolError(error, 'ERR_MEMPOOL_CORRUPT'), String(error));
  expect((error as MempoolError).details).toEqual(details);
  return true;
};

async function pool() {
  const url = inject('redisUrl');
  const name = randomUUID();
  const { store } = await openPool({ url, pool: name });
  const admin = operator(url);
  const key = (of: string) => `{${name}}:${of}`;
  /** Flips the last bit of a transaction's record. */
  const flip = async (n: number) => {
    const field = Buffer.from(hashOf(n), 'hex');
    const record = (await admin.hgetBuffer(key('body'), field)) as Buffer;
    record[record.length - 1] = (record.at(-1) as number) ^ 1;
    await admin.hset(key('body'), field, record);
  };
  return { store, admin, key, flip };
}

test('M2: a flipped bit of a payload is told with hash and seq, stepped over, and dropped', async () => {
  const { store, flip } = await pool();
  await store.receive(transactions(1, 2, 3));
  await flip(2);
  expect(await store.peekPending()).toMatchObject([{ seq: 1 }]);
  await assert.rejects(store.peekPending({ after: 1 }), isCorrupt({ hash: hashOf(2), seq: 2 }));
  expect(await store.peekPending({ after: 2 })).toMatchObject([{ seq: 3 }]);
  expect(await store.checkStatus([hashOf(2)])).toMatchObject([{ stage: 'Pending' }]);
  expect(await store.drop([hashOf(2)], 'damaged')).toEqual([hashOf(2)]);
  await assert.rejects(store.dumpFinalized(), isCorrupt({ hash: hashOf(2), seq: 2, logSeq: 1 }));
  expect(await store.dumpFinalized({ cursor: 2 })).toMatchObject({ entries: [], cursor: 2 });
});

test.for(['lost', 'cut short'])('M2: a record that is %s is corrupt too, in flight as well', async (how) => {
  const { store, admin, key } = await pool();
  await store.receive(transactions(1, 2));
  await store.markInflight([hashOf(1), hashOf(2)]);
  const field = Buffer.from(hashOf(1), 'hex');
  if (how === 'lost') await admin.hdel(key('body'), field);
  else await admin.hset(key('body'), field, Buffer.from([0, 0, 1]));
  await assert.rejects(store.peekInflight(), isCorrupt({ hash: hashOf(1), seq: 1 }));
  await assert.rejects(store.findInflight([hashOf(2), hashOf(1)]), isCorrupt({ hash: hashOf(1), seq: 1 }));
  expect(await store.findInflight([hashOf(2)])).toMatchObject([{ seq: 2 }]);
  expect(await store.confirm({ point: point(1), seen: [hashOf(1)], unseen: [] })).toMatchObject({ confirmed: 1 });
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
  await store.drop([hashOf(1), hashOf(2)], 'unwanted');
  await admin.hset(key('log'), '1', entry);
  await assert.rejects(store.dumpFinalized(), isCorrupt({ hash: '', seq: 0, logSeq: 1 }));
  await assert.rejects(store.checkStatus([hashOf(1)]), isCorrupt({ hash: hashOf(1), seq: 0, logSeq: 1 }));
  expect(await store.dumpFinalized({ cursor: 2 })).toMatchObject({ entries: [{ hash: hashOf(2) }] });
  await admin.hset(key('meta'), 'maxFinalized', '1');
  expect(await store.drop([hashOf(3)], 'unwanted')).toEqual([hashOf(3)]);
  expect(await store.dumpFinalized()).toMatchObject({ entries: [{ hash: hashOf(3), logSeq: 3 }] });
  expect(await store.checkStatus([hashOf(1)])).toMatchObject([{ stage: 'Unknown' }]);
  expect(await admin.hlen(key('body'))).toBe(1);
});

test.for([...damages, another, ['none', undefined] as const])(
  'M2: the rest works beside a log entry of %s',
  async ([, damage]) => {
    const { store, admin, key } = await pool();
    const damaged = (n: number) =>
      damage === undefined ? admin.hdel(key('log'), `${n}`) : admin.hset(key('log'), `${n}`, damage);
    await store.receive(transactions(1, 2, 3, 4));
    await store.drop([hashOf(1), hashOf(2)], 'unwanted');
    // Without any entry the key would be gone.
    await admin.hset(key('log'), '0', 'of none');
    await damaged(1);
    await damaged(2);
    const events = (await store.subscribe())[Symbol.asyncIterator]();
    const mempool = new Mempool(store);
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
    await assert.rejects(store.checkStatus([hashOf(2)]), isCorrupt({ hash: hashOf(2), seq: 0, logSeq: 2 }));
    await damaged(3);
    expect(await store.rollback(null)).toMatchObject({ kind: 'rolled-back', undone: 1, returned: 0 });
    expect(await store.receive(transactions(2, 3))).toMatchObject([
      { kind: 'received', seq: 7 },
      { kind: 'duplicate', stage: 'Finalized' },
    ]);
  },
);

test('M2: a damaged event entry is told as missed, not passed over', async () => {
  const { store, admin, key } = await pool();
  await store.receive(transactions(1));
  const [[id]] = (await admin.xrange(key('events'), '-', '+')) as [[string, string[]]];
  const epoch = (await admin.hget(key('meta'), 'epoch')) as string;
  await admin.del(key('events'));
  await admin.xadd(key('events'), id, epoch, 'no CBOR at all');
  const events = (await store.subscribe({ after: 0 }))[Symbol.asyncIterator]();
  expect((await events.next()).value).toEqual({ kind: 'lagged', missed: 1 });
  await events.return?.();
});

test('O6: a page of large payloads ends at 8 MiB', async () => {
  const { store } = await pool();
  const mebibyte = 1_048_576;
  for (let n = 0; n < 20; n++) await store.receive([transaction(n, mebibyte)]);
  expect(await store.peekPending({ limit: 1_000 })).toHaveLength(8);
  expect(await store.peekPending({ limit: 1_000, after: 16 })).toHaveLength(4);
  await store.drop(
    Array.from({ length: 20 }, (_, n) => hashOf(n)),
    'unwanted',
  );
  expect(await store.dumpFinalized({ limit: 1_000 })).toMatchObject({ cursor: 9, hasMore: true });
});

test('X2: the last 10,000 ids of callers are remembered, however many calls have none', async () => {
  const { store, admin, key } = await pool();
  const [first] = await store.receive(transactions(1), { operationId: 'first' });
  for (let n = 0; n < 25; n++)
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => store.markAcknowledged([hashOf(i)])));
  const others = Array.from({ length: 9_999 }, (_, i) =>
    store.markAcknowledged([hashOf(1)], { operationId: `other ${i}` }),
  );
  await Promise.all(others);
  expect(await store.receive(transactions(1), { operationId: 'first' })).toEqual([first]);
  expect(await admin.hlen(key('calls'))).toBeLessThanOrEqual(10_000);
  expect(await admin.hlen(key('calls:old'))).toBeLessThanOrEqual(10_000);
});
