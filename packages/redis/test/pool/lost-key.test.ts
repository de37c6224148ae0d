import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { redis } from 'mempool-redis';
import { expect, inject, test } from 'vitest';
import { hashOf, point, transaction } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { priced } from '../priority/priced.ts';

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
    await store.drop([hashOf(2)], 'unwanted');
    await store.confirm({ point: point(1), seen: [hashOf(3)], unseen: [] });
    const key = `{${pool}}:${name}`;
    expect(await admin.del(key)).toBe(1);
    const before = await admin.dump(`{${pool}}:meta`);
    const corrupt = { code: 'ERR_MEMPOOL_CORRUPT', details: { key } };
    const calls: (() => Promise<unknown>)[] = [
      () => store.receive([make(1), make(9)]),
      () => store.markInflight([hashOf(4)]),
      () => store.drop([hashOf(4)], 'unwanted'),
      () => store.confirm({ point: point(2), seen: [hashOf(4)], unseen: [] }),
      () => store.rollback(null),
      () => store.reap(),
      () => store.peekPending(),
      () => redis.open({ url, pool, ordering }),
    ];
    for (const call of calls) await assert.rejects(call(), corrupt);
    expect(await admin.dump(`{${pool}}:meta`)).toEqual(before);
    await admin.unlink(await admin.keys(`{${pool}}*`));
  },
);
