import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { hashOf, point } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { mirrorNode } from './node.ts';
import { numbers, priced } from './priced.ts';

const stored = 20_000;
const best = { priority: 10_000n };
/** Far fewer than there are, more than without slices. */
const fewestTurns = 3;

async function filled() {
  const [url, name] = [inject('redisUrl'), randomUUID()];
  // No call here is to run out of time, however busy the machine is.
  const own = { url, pool: name, ordering: 'priority', maxTxs: 100_000, timeoutMs: 60_000 } as const;
  const open = async () => (await openPool(own)).store;
  const store = await open();
  for (let n = 0; n < stored; n += 1_000) await store.receive(numbers(1_000, n).map((each) => priced(each)));
  return { store, open, node: mirrorNode(url, name), changes: `{${name}}:changes`, admin: operator(url) };
}

test('the event loop turns while a node makes its mirror of a large pool', async () => {
  const { node } = await filled();
  expect(await node.turnsOfFill()).toBeGreaterThan(fewestTurns);
  expect(await node.remembered()).toEqual(await node.stored());
});

test('N1: nodes that open a large pool while others write, take, give back and apply blocks have one pool', async () => {
  const { store, open, node } = await filled();
  let opening = true;
  const writing = (async () => {
    for (let n = stored; opening; n += 1) {
      await store.receive([priced(n), priced(n + 1_000_000, { ...best, provides: [`${n}`] })]);
      await store.markInflight([hashOf(n), hashOf(n - 20), hashOf(n - stored)]);
      await store.release([hashOf(n - 20), hashOf(n - stored + 10)]);
      await store.drop([hashOf(n - stored + 5_000)], 'failed');
      if (n % 5 === 0)
        await store.confirm({ point: point(n), seen: [hashOf(n - 3)], unseen: [], provides: [`tag ${n}`] });
    }
  })();
  const stores = await Promise.all([open(), open(), open()]);
  const filling = node.remembered();
  await filling;
  opening = false;
  await writing;
  for (const each of stores) expect(await each.reap({ maxTxs: 100 })).toEqual(await store.reap({ maxTxs: 100 }));
  expect(await node.remembered()).toEqual(await node.stored());
});

test('M2: calls that come while the mirror is filled see those before them, and an aborted one is not made', async () => {
  const { store: other, open, node, changes, admin } = await filled();
  const idle = await open();
  await other.receive([priced(stored)]);
  await admin.del(changes);
  const abort = new AbortController();
  const calls = [
    idle.receive([priced(stored + 1, best)]),
    idle.reap({ maxTxs: 1 }),
    idle.receive([priced(stored + 3)]),
    idle.status([hashOf(stored + 3)]),
  ] as const;
  const refused = expect(idle.receive([priced(stored + 2)], { signal: abort.signal })).rejects.toThrow('enough');
  abort.abort(new Error('enough'));
  await refused;
  await other.receive([priced(stored + 4)]);
  const [first, reaped, third, status] = await Promise.all(calls);
  expect([...first, ...third].map(({ kind }) => kind)).toEqual(['received', 'received']);
  expect(reaped).toMatchObject([{ hash: hashOf(stored + 1) }]);
  expect(status).toMatchObject([{ stage: 'Pending' }]);
  for (const each of [idle, other]) {
    expect(await each.status([hashOf(stored + 2)])).toMatchObject([{ stage: 'Unknown' }]);
    expect((await each.usage()).pending).toBe(stored + 4);
  }
  expect(await node.remembered()).toEqual(await node.stored());
});

test('a node that closes while its mirror is filled ends its calls', async () => {
  const { store: other, open, changes, admin } = await filled();
  const idle = await open();
  await other.receive([priced(stored)]);
  await admin.del(changes);
  const written = idle.receive([priced(stored + 1)]);
  await idle.close();
  expect(await written).toMatchObject([{ kind: 'received' }]);
  expect((await other.usage()).pending).toBe(stored + 2);
});
