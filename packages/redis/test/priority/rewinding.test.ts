import { expect, test } from 'vitest';
import { hashOf } from '../chain.ts';
import { openPool, operator, ownServer } from '../own-server.ts';
import { mirrorNode } from './node.ts';
import { numbers, priced } from './priced.ts';

/** A server that can be put back to its last SAVE, on one port. */
async function server() {
  const own = await ownServer();
  return {
    url: own.url,
    save: async () => void (await operator(own.url).save()),
    rewind: () => own.restart(),
  };
}

const priority = { ordering: 'priority', timeoutMs: 30_000 } as const;

test('a node follows a server that came back with an older state', async () => {
  const { url, save, rewind } = await server();
  const { store } = await openPool({ url, ...priority });
  await store.receive([priced(1), priced(2, { provides: ['x'] })]);
  await save();
  await store.receive([priced(3, { requires: ['x'] })]);
  await store.drop([hashOf(1)], 'unwanted');
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
