import { join } from 'node:path';
import type { MempoolStore } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, pointOf, priced } from '../numbered.ts';
import { openNode } from './node.ts';

const priority = { ordering: 'priority' } as const;

/** 0 to 3 are Dropped and in the log, 4 is Pending. */
async function openFilled(path: string): Promise<MempoolStore> {
  const store = await sqlite.open({ path, ...priority });
  await store.receive(numbers(5).map((n) => priced(n)));
  await store.drop(numbers(4).map(hashOf), 'test');
  return store;
}

/** A call without an event. */
const addSource = (store: MempoolStore) => store.receive([{ ...priced(4), from: 'peer' }]);

const stages = async (store: MempoolStore) =>
  (await store.checkStatus(numbers(5).map(hashOf))).map(({ stage }) => stage);

test('where an open keeps less of the log, processes that come before and after a call without events know the same', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using first = await openFilled(path);
  await using second = await sqlite.open({ path, ...priority, maxFinalized: 1 });
  await addSource(second);
  await using third = await sqlite.open({ path, ...priority });
  const known = ['Unknown', 'Unknown', 'Unknown', 'Dropped', 'Pending'];
  for (const store of [first, second, third]) {
    expect(await stages(store)).toEqual(known);
    expect(await store.usage()).toMatchObject({ pending: 1, logged: 1, lastLogSeq: 4 });
  }
});

test('a block that carries what the log has no room for any more finds nobody, whoever applies it', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using first = await openFilled(path);
  await using second = await sqlite.open({ path, ...priority, maxFinalized: 1 });
  await addSource(second);
  await using third = await sqlite.open({ path, ...priority });
  const seen = [hashOf(0), hashOf(3)];
  expect(await third.confirm({ point: pointOf(1), seen, unseen: [] })).toMatchObject({ confirmed: 1 });
  const node = await openNode(path);
  for (const store of [first, second, third])
    expect(await stages(store)).toEqual(['Unknown', 'Unknown', 'Unknown', 'Confirmed', 'Pending']);
  expect(await node.remembered()).toEqual(await node.stored());
});

test('what the log has no room for any more can come again before the file has let go of it', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await (await openFilled(path)).close();
  await using store = await sqlite.open({ path, ...priority, maxFinalized: 1 });
  expect(await store.receive([priced(0)])).toMatchObject([{ kind: 'received', seq: 6 }]);
  expect(await store.dumpFinalized({ cursor: 1 })).toMatchObject({
    entries: [{ logSeq: 4, hash: hashOf(3) }],
    missed: 3,
  });
  await using again = await sqlite.open({ path, ...priority });
  expect(await stages(again)).toEqual(['Pending', 'Unknown', 'Unknown', 'Dropped', 'Pending']);
});

test('a pool whose log keeps one entry ends many transactions in one call, in every process', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using first = await sqlite.open({ path, ...priority, maxFinalized: 1 });
  await using second = await sqlite.open({ path, ...priority });
  const node = await openNode(path);
  await first.receive(numbers(6).map((n) => priced(n, { provides: [`t${n}`], requires: n === 5 ? ['t0'] : [] })));
  await node.remembered();
  expect(await second.drop(numbers(3).map(hashOf), 'test')).toHaveLength(3);
  expect(await first.usage()).toMatchObject({ pending: 3, logged: 1, load: { parked: 1 } });
  expect((await first.reap()).map(({ hash }) => hash).toSorted()).toEqual([3, 4].map(hashOf));
  expect(await node.remembered()).toEqual(await node.stored());
});
