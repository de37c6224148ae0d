import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { MempoolStore, Submission } from 'mempool-core';
import { expect, inject, test } from 'vitest';
import { hexOf, textsIn } from '../../src/pool/packed.ts';
import { hashOf, point, transaction } from '../chain.ts';
import { openPool, operator, ownProxy, ownServer } from '../own-server.ts';
import { numbers, priced } from '../priority/priced.ts';
import { rights, userWith } from '../refusal.ts';

// The records of a large page are read behind it, by HMGET (pool/bodies-apart.ts), and the entries of the log. Here others write between.

const orderings = ['fifo', 'priority'] as const;
type Ordering = (typeof orderings)[number];

const count = 80;
const all = numbers(count).map(hashOf);
/** It is Pending, and on no page but that of Pending. */
const bystander = 99;

const pages = {
  pending: (store: MempoolStore) => store.peekPending({ limit: 1_000 }),
  'in flight': (store: MempoolStore) => store.peekInflight({ limit: 1_000 }),
  log: (store: MempoolStore) => store.dumpFinalized({ limit: 1_000 }),
  gossip: (store: MempoolStore) => store.since({ limit: 1_000 }),
};
type PageName = keyof typeof pages;

const keepsAll = { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: Number.POSITIVE_INFINITY };

/** HMGET as a command of its own, not as a word of a script. */
const isHmget = (request: Buffer, key = ''): boolean =>
  request.includes('$5\r\nHMGET\r\n') && request.includes(`}:${key}`);

const make = (ordering: Ordering, n: number, byte?: number): Submission => {
  const given = ordering === 'fifo' ? transaction(n) : priced(n);
  return byte === undefined ? given : { ...given, payload: Buffer.alloc(given.payload.length, byte) };
};

/** A pool with all on that page, a writer, and a reader behind a proxy. */
async function filled(ordering: Ordering, page: PageName, options: { url?: string; maxFinalized?: number } = {}) {
  const { url = inject('redisUrl'), maxFinalized = 1_000 } = options;
  const shared = { pool: randomUUID(), ordering, maxFinalized } as const;
  const { store: writer } = await openPool({ url, ...shared });
  await writer.receive(numbers(count).map((n) => make(ordering, n)));
  if (page === 'in flight') await writer.markInflight(all);
  if (page === 'log') await writer.drop(all, 'failed');
  await writer.receive([make(ordering, bystander)]);
  const proxy = await ownProxy(url);
  const { store: reader } = await openPool({ url: proxy.url, ...shared });
  return { writer, reader, proxy };
}

type Write = (writer: MempoolStore, make: (n: number, byte?: number) => Submission) => Promise<unknown>;

const writes: readonly (readonly [what: string, answer: 'before' | 'after', write: Write, maxFinalized?: number])[] = [
  [
    'others come, go out and are held back, and some of the page end',
    'before',
    async (writer, of) => {
      await writer.receive([of(100), of(101)]);
      await writer.receive([of(102)]);
      await writer.markInflight([101, 102, 2].map(hashOf));
      await writer.release([hashOf(102)], { notBeforeMs: Date.now() + 3_600_000 });
      await writer.drop([hashOf(1), hashOf(bystander)], 'failed');
    },
  ],
  ['records are deleted', 'after', (writer) => writer.drop([...all, hashOf(bystander)], 'failed'), count],
  [
    'one comes back with another payload of the same length',
    'after',
    async (writer, of) => {
      await writer.drop([hashOf(1), hashOf(bystander)], 'failed');
      await writer.receive([of(1, 0xee)]);
    },
  ],
  [
    'one comes back with another payload and is dropped again',
    'after',
    async (writer, of) => {
      await writer.drop([hashOf(1), hashOf(bystander)], 'failed');
      await writer.receive([of(1, 0xee)]);
      await writer.drop([hashOf(1)], 'failed');
    },
  ],
];

const cases = writes.flatMap((row) =>
  orderings.flatMap((ordering) =>
    (Object.keys(pages) as PageName[])
      // A node of a priority pool reads the other pages from its mirror.
      .filter((page) => ordering === 'fifo' || page === 'in flight' || page === 'log')
      .flatMap((page) =>
        (page === 'log' ? (['log', 'body'] as const) : (['body'] as const)).map((key) => [page, key] as const),
      )
      .map(([page, key]) => [ordering, page, key, ...row] as const),
  ),
);

test.for(cases)('X1: %s, page of %s, before its %s is read: %s, and the page is that %s', async (row) => {
  const [ordering, page, key, , answer, write, maxFinalized] = row;
  const { writer, reader, proxy } = await filled(ordering, page, { maxFinalized: maxFinalized ?? 1_000 });
  const moments = { before: await pages[page](writer), after: null as unknown };
  const held = proxy.hold('request', (request) => isHmget(request, key));
  const read = pages[page](reader);
  await held.caught;
  await write(writer, (n, byte) => make(ordering, n, byte));
  moments.after = await pages[page](writer);
  await held.letGo();
  expect(await read).toEqual(moments[answer]);
  expect(moments.after).not.toEqual(moments.before);
});

test.for(orderings)('X5: the connection breaks between a page and its records: %s', async (ordering) => {
  const { writer, reader, proxy } = await filled(ordering, 'in flight');
  const held = proxy.hold('request', (request) => isHmget(request));
  const read = reader.peekInflight({ limit: 1_000 });
  await held.caught;
  await writer.drop([hashOf(1)], 'failed');
  proxy.thaw();
  expect(await read).toEqual(await writer.peekInflight({ limit: 1_000 }));
});

test('the pool is flushed between a page and its records: the page is that of the new pool', async () => {
  const { url } = await ownServer();
  const { reader, proxy } = await filled('fifo', 'pending', { url });
  const held = proxy.hold('request', (request) => isHmget(request));
  const read = reader.peekPending({ limit: 1_000 });
  await held.caught;
  await operator(url).flushall();
  await held.letGo();
  expect(await read).toMatchObject({ transactions: [] });
});

test.for(orderings)('M2: a large page too skips a damaged record, and one that is lost: %s', async (ordering) => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ordering });
  await store.receive(numbers(count).map((n) => make(ordering, n)));
  const [admin, body] = [operator(url), `{${pool}}:body`];
  const field = (n: number) => Buffer.from(hashOf(n), 'hex');
  await admin.hset(body, field(3), Buffer.from([0, 0, 1]));
  const found = async () => (await store.peekPending({ limit: 1_000 })).transactions.map(({ seq }) => seq);
  expect(await found()).toEqual(numbers(count).filter((n) => n !== 3));
  await admin.hdel(body, field(30));
  expect(await found()).toEqual(numbers(count).filter((n) => n !== 3 && n !== 30));
});

test('M2: a large page of the log too skips damaged entries, and one that is lost', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool });
  await store.receive(numbers(count).map((n) => make('fifo', n)));
  await store.drop(all, 'failed');
  const [admin, log] = [operator(url), `{${pool}}:log`];
  const entry = (await admin.hgetBuffer(log, '5')) as Buffer;
  for (const [n, bytes] of [entry.subarray(0, 0), entry.subarray(0, 3), entry.subarray(0, 30)].entries())
    await admin.hset(log, String(5 + n), bytes);
  await admin.hdel(log, '30');
  const { entries } = await pages.log(store);
  expect(entries.map(({ logSeq }) => logSeq)).toEqual(numbers(count).filter((n) => ![5, 6, 7, 30].includes(n)));
});

/** How often the server was asked for a length since this was last asked. */
async function lengthsAsked(admin: Redis): Promise<number> {
  const [, calls = '0'] = /cmdstat_hstrlen:calls=(\d+)/.exec(await admin.info('commandstats')) ?? [];
  await admin.config('RESETSTAT');
  return Number(calls);
}

/** A record of 200,000 bytes. */
const makeLarge = (ordering: Ordering, n: number): Submission => ({
  ...make(ordering, n),
  payload: Buffer.alloc(200_000 - 6),
});

/** Of records that may be so large, 41 fit into what small ones leave of 8 MiB. One more length is asked for as a trial. */
const ifLarge = count - 41 + 1;

type Change = (store: MempoolStore, ordering: Ordering) => Promise<unknown>;

const sizes: readonly (readonly [what: string, asked: number, change: Change])[] = [
  ['payloads are small', 0, async () => undefined],
  ['one is large', ifLarge, (store, ordering) => store.receive([makeLarge(ordering, bystander)])],
  [
    'one was large and is gone',
    ifLarge,
    async (store, ordering) => {
      await store.receive([makeLarge(ordering, bystander)]);
      await store.drop([hashOf(bystander)], 'failed');
      await store.receive([make(ordering, bystander)]);
    },
  ],
];

test.for(orderings.flatMap((ordering) => sizes.map((row) => [ordering, ...row] as const)))(
  'O6: lengths are asked for as far as a page might exceed 8 MiB: %s, %s: %i',
  async ([ordering, , asked, change]) => {
    const [{ url }, pool] = [await ownServer(), randomUUID()];
    const { store } = await openPool({ url, pool, ordering });
    const admin = operator(url);
    const given = numbers(count).map((n) => make(ordering, n));
    await store.receive(given);
    await store.markInflight(all);
    await change(store, ordering);
    await lengthsAsked(admin);
    const { transactions } = await store.peekInflight({ limit: 1_000 });
    expect(transactions.map(({ payload }) => Buffer.from(payload))).toEqual(given.map(({ payload }) => payload));
    expect(await lengthsAsked(admin)).toBe(asked);
  },
);

test.for(orderings)('D3: an imported pool knows how large its records are: %s', async (ordering) => {
  const { url } = await ownServer();
  const [from, to] = [await openPool({ url, pool: 'from', ordering }), await openPool({ url, pool: 'to', ordering })];
  await from.store.receive([...numbers(count).map((n) => make(ordering, n)), makeLarge(ordering, bystander)]);
  await from.store.markInflight(all);
  expect(await to.store.import(from.store.export())).toMatchObject({ kind: 'imported' });
  const admin = operator(url);
  expect(await admin.hmget('{to}:meta', 'largest')).toEqual(await admin.hmget('{from}:meta', 'largest'));
  await lengthsAsked(admin);
  expect((await to.store.peekInflight({ limit: 1_000 })).transactions).toHaveLength(count);
  expect(await lengthsAsked(admin)).toBe(ifLarge);
});

test.for([
  ['small', (n: number) => transaction(n), 0],
  ['small but for the last', (n: number) => transaction(n, n < count ? 8 : 200_000), 1],
] as const)(
  'without the right to ask for lengths pages are the same, and it is asked for at most once: payloads are %s',
  async ([, of, asked]) => {
    const url = await userWith(rights.fifo);
    const admin = operator(url.replace('node:secret@', ''));
    const { store } = await openPool({ url });
    const { store: other } = await openPool({ url: url.replace('node:secret@', '') });
    await store.receive(numbers(count).map(of));
    for (const _ of numbers(3)) expect(await pages.pending(store)).toEqual(await pages.pending(other));
    const denied = (await admin.call('ACL', 'LOG')) as [string, number, ...unknown[]][];
    const refused = denied.filter((entry) => entry.includes('hstrlen'));
    expect(refused.map(([, times]) => times)).toEqual(asked === 0 ? [] : [asked]);
  },
);

test('O6: a page of large payloads ends before 8 MiB, no more of them are asked for, and the next goes on behind it', async () => {
  const { writer, reader, proxy } = await filled('fifo', 'log');
  for (const n of numbers(count + 20, 1_000)) await writer.receive([transaction(n, 500_000)]);
  const asked: number[] = [];
  proxy.hold('request', (request) => {
    asked.push(
      ...[...request.toString('latin1').matchAll(/\*(\d+)\r\n\$5\r\nHMGET\r\n/g)].map(([, words]) => Number(words) - 2),
    );
    return false;
  });
  const first = await reader.peekPending({ limit: 1_000 });
  const second = await reader.peekPending({ limit: 1_000, after: first.next });
  const hashes = [first, second].map(({ transactions }) => transactions.map(({ hash }) => hash));
  expect(hashes).toEqual([[bystander, ...numbers(16, 1_000)].map(hashOf), numbers(16, 1_016).map(hashOf)]);
  // The last one is that in which the limit is exceeded.
  expect(asked).toEqual([18, 17]);
});

test.for([
  [2, 0],
  [2, 1],
  [2, 5],
  [20, 0],
  [20, 5],
] as const)(
  'L8, M2: a large page in flight tells the same as small ones: %i blocks, %i damaged stages',
  async (row) => {
    const [blocks, damaged] = row;
    const [url, pool, of] = [inject('redisUrl'), randomUUID(), 200 / blocks];
    const { store } = await openPool({ url, pool });
    for (const n of numbers(blocks)) {
      const own = numbers(of, of * (n - 1) + 1);
      await store.receive(own.map((each) => transaction(each)));
      const hashes = own.map(hashOf);
      await store.markInflight(hashes);
      await store.markAcknowledged(hashes.slice(of / 2));
      await store.confirm({ point: point(n), seen: hashes.filter((_, i) => i % 4 === 0), unseen: [] }, keepsAll);
    }
    const admin = operator(url);
    for (const n of numbers(damaged)) await admin.zadd(`{${pool}}:idx`, 'inf', Buffer.from(hashOf(7 * n), 'hex'));
    const small = [];
    for (let after: string | undefined; ; ) {
      const page = await store.peekInflight({ limit: 10, after });
      if (page.transactions.length === 0) break;
      small.push(page);
      after = page.next;
    }
    const { transactions } = await store.peekInflight({ limit: 1_000 });
    expect(transactions).toEqual(small.flatMap((page) => page.transactions));
    expect(transactions).toHaveLength(200 - damaged);
  },
);

test.for<[number, number]>([
  [15, 32],
  [16, 32],
  [70_000, 1],
  [2, 31],
  [2, 255],
  [2, 256],
  [2, 65_536],
  [3, 0],
  [0, 0],
])('the hashes that a script packs are found: %i of %i bytes', async ([many, bytes]) => {
  const script = "local t = {} for i = 1, ARGV[1] do t[i] = string.rep('x', ARGV[2]) end return cmsgpack.pack(t)";
  const packed = await operator(inject('redisUrl')).callBuffer('EVAL', script, 0, many, bytes);
  expect(textsIn(packed as Buffer).map(hexOf)).toEqual(Array(many).fill('78'.repeat(bytes)));
});
