import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isMempoolError, type MempoolError } from 'mempool-core';
import { expect, inject, test } from 'vitest';
import { hashOf } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { numbers, priced } from './priced.ts';

const isCorrupt = (details: object) => (error: unknown) => {
  assert.ok(isMempoolError(error, 'ERR_MEMPOOL_CORRUPT'), String(error));
  expect((error as MempoolError).details).toEqual(details);
  return true;
};

async function pool() {
  const [url, name] = [inject('redisUrl'), randomUUID()];
  const open = () => openPool({ url, pool: name, ordering: 'priority' });
  return { open, admin: operator(url), key: (of: string) => `{${name}}:${of}` };
}
const field = (n: number) => Buffer.from(hashOf(n), 'hex');

test('M2: a damaged payload is told with hash and seq, stepped over, and dropped', async () => {
  const { open, admin, key } = await pool();
  const { store } = await open();
  await store.receive(numbers(3).map((n) => priced(n)));
  const record = (await admin.hgetBuffer(key('body'), field(2))) as Buffer;
  record[record.length - 1] = (record.at(-1) as number) ^ 1;
  await admin.hset(key('body'), field(2), record);
  expect(await store.peekPending()).toMatchObject([{ seq: 1 }]);
  await assert.rejects(store.peekPending({ after: 1 }), isCorrupt({ hash: hashOf(2), seq: 2 }));
  await assert.rejects(store.payloads([hashOf(1), hashOf(2)]), isCorrupt({ hash: hashOf(2), seq: 2 }));
  expect(await store.peekPending({ after: 2 })).toMatchObject([{ seq: 3 }]);
  expect(await store.drop([hashOf(2)], 'damaged')).toEqual([hashOf(2)]);
  expect(await store.peekPending()).toMatchObject([{ seq: 1 }, { seq: 3 }]);
});

test.for([
  ['that is lost', null],
  ['of no bytes', Buffer.alloc(0)],
  ['of other values', Buffer.from([0x83, 1, 2, 3])],
  ['that is no CBOR', Buffer.alloc(40, 0xff)],
] as const)(
  'M2: a transaction with an entry %s waits apart until it is judged anew or dropped; the rest goes on',
  async ([_, bytes]) => {
    const { open, admin, key } = await pool();
    const { store: before } = await open();
    await before.receive(numbers(4).map((n) => priced(n, { priority: BigInt(n) })));
    await before.close();
    for (const n of [2, 4])
      if (bytes === null) await admin.hdel(key('entries'), field(n));
      else await admin.hset(key('entries'), field(n), bytes);
    const { store, lines } = await open();
    expect(lines.filter(({ level, message }) => level === 'warn' && message.includes('entry'))).toHaveLength(2);
    expect((await store.reap()).map(({ hash }) => hash)).toEqual([3, 1].map(hashOf));
    expect(await store.peekParked()).toMatchObject([{ seq: 2 }, { seq: 4 }]);
    expect(await store.drop([hashOf(2)], 'damaged')).toEqual([hashOf(2)]);
    const revision = { hash: hashOf(4), version: 1, answer: { priority: 7n } };
    expect(await store.revise([revision])).toMatchObject([{ kind: 'revised' }]);
    expect((await store.reap()).map(({ hash }) => hash)).toEqual([4, 3, 1].map(hashOf));
    expect(await store.receive([priced(2)])).toMatchObject([{ kind: 'received', seq: 5 }]);
  },
);

test('M2: a damaged log entry is stepped over, its hash can be received again, and the log is trimmed past it', async () => {
  const { open, admin, key } = await pool();
  const { store: before } = await open();
  await before.receive(numbers(3).map((n) => priced(n)));
  await before.drop(numbers(3).map(hashOf), 'unwanted');
  await before.close();
  await admin.hset(key('log'), '2', Buffer.from('x'));
  const { store } = await open();
  expect(await store.dumpFinalized({ cursor: 3 })).toMatchObject({ entries: [{ hash: hashOf(3) }] });
  expect(await store.receive([priced(2)])).toMatchObject([{ kind: 'received', seq: 4 }]);
  const { store: tight } = await openPool({ ...(await optionsOf(key)), maxFinalized: 1 });
  expect(await tight.drop([hashOf(2)], 'again')).toEqual([hashOf(2)]);
  expect(await tight.usage()).toMatchObject({ logged: 1, lastLogSeq: 4 });
  expect(await admin.hlen(key('body'))).toBe(1);
  expect(await admin.hlen(key('entries'))).toBe(1);
});

async function optionsOf(key: (of: string) => string) {
  return { url: inject('redisUrl'), pool: key('').slice(1, -2), ordering: 'priority' } as const;
}
