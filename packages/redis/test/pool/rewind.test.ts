import { randomUUID } from 'node:crypto';
import type { Mempool, MempoolEvent } from 'mempool-core';
import { cursorAt } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { hashOf, point, transactions } from '../chain.ts';
import { openPool, operator, ownServer } from '../own-server.ts';
import { mirrorNode } from '../priority/node.ts';
import { numbers, priced } from '../priority/priced.ts';

/** A server that can be put back to its last SAVE, on one port. */
async function server() {
  const own = await ownServer();
  return {
    url: own.url,
    save: async () => void (await operator(own.url).save()),
    rewind: () => own.restart(),
  };
}

async function stream(store: Mempool, after?: string) {
  const events = (await store.subscribe({ after }))[Symbol.asyncIterator]();
  return async (count: number) => {
    const taken: MempoolEvent[] = [];
    while (taken.length < count) taken.push((await events.next()).value as MempoolEvent);
    return taken.map((event) => {
      if (event.kind === 'lagged') return 'lagged';
      return `${event.eventSeq} ${event.kind === 'transaction' ? Number.parseInt(event.hash, 16) : event.kind}`;
    });
  };
}

async function all(store: Mempool): Promise<string[]> {
  const { lastEventSeq } = await store.usage();
  return (await stream(store, 'origin'))(lastEventSeq);
}

const each = async (store: Mempool, ...numbers: readonly number[]) => {
  for (const n of numbers) await store.receive(transactions(n));
};

test('O7: a gossip loop goes on with the transactions of a pool that FLUSHALL has made anew', async () => {
  const own = await ownServer();
  const { store } = await openPool({ url: own.url, ordering: 'priority' });
  const pool = store;
  const pages = pool.gossip('ann')[Symbol.asyncIterator]();
  const heard = async () => (await pages.next()).value?.items.map(({ seq, hash }) => [seq, hash]);
  await pool.receive([1, 2].map((n) => priced(n)));
  expect(await heard()).toEqual([1, 2].map((n) => [n, hashOf(n)]));
  const next = heard();
  await operator(own.url).flushall();
  await pool.submit(priced(3));
  expect(await next).toEqual([[1, hashOf(3)]]);
});

test('E3: a server back from an older state and overtaken by another node is one lag, then the true events', async () => {
  const { url, save, rewind } = await server();
  const { store: reader } = await openPool({ url, timeoutMs: 30_000 });
  const take = await stream(reader);
  await each(reader, 1, 2, 3, 4, 5);
  await save();
  await each(reader, 6, 7, 8);
  expect(await take(8)).toEqual(['1 1', '2 2', '3 3', '4 4', '5 5', '6 6', '7 7', '8 8']);
  await rewind();
  const { store: writer } = await openPool({ url });
  await each(writer, 101, 102, 103, 104, 105);
  expect(await take(11)).toEqual(['lagged', ...(await all(writer))]);
  await each(writer, 106);
  expect(await take(1)).toEqual(['11 106']);
});

test('E3: the way back is noticed where the event that was read last is the same on both ways', async () => {
  const { url, save, rewind } = await server();
  const { store: reader } = await openPool({ url, timeoutMs: 30_000 });
  const block = { point: point(1), seen: [], unseen: [] };
  const takes = [await stream(reader), await stream(reader)] as const;
  await save();
  await reader.receive(transactions(1));
  await reader.confirm(block, {}, { operationId: 'block' });
  for (const take of takes) expect(await take(2)).toEqual(['1 1', '2 block']);
  await rewind();
  const { store: writer } = await openPool({ url });
  await writer.receive(transactions(2));
  await writer.confirm(block, {}, { operationId: 'block' });
  for (const take of takes) expect(await take(3)).toEqual(['lagged', '1 2', '2 block']);
});

test('E3: what was read in part, or not at all, before the server went back is noticed too', async () => {
  const { url, save, rewind } = await server();
  const { store: reader } = await openPool({ url, timeoutMs: 30_000 });
  await reader.receive(transactions(1, 2, 3));
  const takes = [await stream(reader), await stream(reader, await cursorAt(reader, 'events', 2))] as const;
  await save();
  await reader.receive(transactions(4, 5));
  await takes[0](1);
  await rewind();
  const { store: writer } = await openPool({ url });
  await writer.receive(transactions(6, 7, 8, 9));
  expect(await takes[0](9)).toEqual(['5 5', 'lagged', '1 1', '2 2', '3 3', '4 6', '5 7', '6 8', '7 9']);
  expect(await takes[1](8)).toEqual(['lagged', '1 1', '2 2', '3 3', '4 6', '5 7', '6 8', '7 9']);
});

test('E3: a server that came back with all it had is no lag', async () => {
  const { url, save, rewind } = await server();
  const { store: reader } = await openPool({ url, timeoutMs: 30_000 });
  const take = await stream(reader);
  const { store: idle } = await openPool({ url, pool: randomUUID() });
  const nothingYet = await stream(idle);
  await each(reader, 1, 2, 3);
  await save();
  expect(await take(3)).toEqual(['1 1', '2 2', '3 3']);
  await rewind();
  const { store: writer } = await openPool({ url });
  await each(writer, 4);
  expect(await take(1)).toEqual(['4 4']);
  await each(idle, 1);
  expect(await nothingYet(1)).toEqual(['1 1']);
});

// What a priority pool has in memory goes back with the server.

const priority = { ordering: 'priority', timeoutMs: 30_000 } as const;

test('a node follows a server that came back with an older state', async () => {
  const { url, save, rewind } = await server();
  const { store } = await openPool({ url, ...priority });
  await store.receive([priced(1), priced(2, { provides: ['x'] })]);
  await save();
  await store.receive([priced(3, { requires: ['x'] })]);
  await store.drop([hashOf(1)], 'failed');
  await rewind();
  expect(await store.usage()).toMatchObject({ pending: 2, lastSeq: 2, load: { transactions: 2 } });
  expect(await store.receive([priced(4, { requires: ['x'] }), priced(1)])).toMatchObject([
    { kind: 'received', seq: 3 },
    { kind: 'duplicate', stage: 'Pending' },
  ]);
  const node = mirrorNode(url, 'mempool');
  expect(await node.remembered()).toEqual(await node.stored());
});

test('a node notices that others went on by another way from an older state, though as many calls were made', async () => {
  const { url, save, rewind } = await server();
  const { store } = await openPool({ url, ...priority });
  await store.receive([priced(1)]);
  await save();
  const node = mirrorNode(url, 'mempool');
  for (const n of [2, 3]) await store.receive([priced(n)]);
  await node.remembered();
  await rewind();
  const { store: other } = await openPool({ url, ...priority });
  for (const n of [12, 13]) await other.receive([priced(n)]);
  expect(await node.remembered()).toEqual(await node.stored());
  expect(await store.receive([priced(2), priced(12)])).toMatchObject([
    { kind: 'received', seq: 4 },
    { kind: 'duplicate' },
  ]);
  for (const n of numbers(3, 20)) await other.receive([priced(n)]);
  expect(await store.reap()).toEqual(await other.reap());
});

test('a pool that was flushed is made anew, with the limits that the node was opened with', async () => {
  const { url } = await ownServer();
  const { store } = await openPool({ url, ...priority, maxTxs: 2 });
  await store.receive([priced(1), priced(2)]);
  await operator(url).flushall();
  expect(await store.reap()).toEqual([]);
  await operator(url).flushall();
  const outcomes = await store.receive(numbers(3).map((n) => priced(n, { priority: 5n })));
  expect(outcomes).toMatchObject([{ kind: 'received', seq: 1 }, { kind: 'received', seq: 2 }, { kind: 'full' }]);
});
