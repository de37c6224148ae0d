import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { openPool } from '../own-server.ts';
import { numbers, priced } from './priced.ts';

test('nodes that all write without a pause write in turn: none is left behind', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const opened = numbers(4).map(() => openPool({ url, pool, ordering: 'priority', timeoutMs: 60_000 }));
  const stores = (await Promise.all(opened)).map(({ store }) => store);
  const [each, order]: [number, number[]] = [40, []];
  await Promise.all(
    stores.map(async (store, node) => {
      for (const n of numbers(each)) {
        await store.receive([priced(1_000 * node + n)]);
        order.push(node);
      }
    }),
  );
  // By the time the first node has written all, no other one has less than a half of its own behind it.
  const firstDone = order.findIndex(
    (node, i) => order.slice(0, i + 1).filter((other) => other === node).length === each,
  );
  for (const node of stores.keys())
    expect(order.slice(0, firstDone + 1).filter((other) => other === node).length).toBeGreaterThan(each / 2);
});

test('a node that does not come in its turn holds the others up for a moment only', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store: gone } = await openPool({ url, pool, ordering: 'priority' });
  const { store } = await openPool({ url, pool, ordering: 'priority' });
  const controllers = numbers(20).map(() => new AbortController());
  const left = controllers.map(({ signal }, n) => gone.receive([priced(100 + n)], { signal }));
  const stayed = numbers(20).map((n) => store.receive([priced(n)]));
  for (const controller of controllers) controller.abort(new Error('enough'));
  await Promise.allSettled(left);
  expect((await Promise.all(stayed)).map(([outcome]) => outcome?.kind)).toEqual(numbers(20).map(() => 'received'));
});
