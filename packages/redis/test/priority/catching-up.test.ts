import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { hashOf } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { mirrorNode } from './node.ts';
import { numbers, priced } from './priced.ts';

async function pool() {
  const [url, name] = [inject('redisUrl'), randomUUID()];
  const open = async () =>
    (await openPool({ url, pool: name, ordering: 'priority', maxTxs: 300, timeoutMs: 60_000 })).store;
  return { open, node: mirrorNode(url, name), changes: `{${name}}:changes`, admin: operator(url) };
}

test('a node that was idle takes over what others wrote meanwhile, in several answers', async () => {
  const { open, node, changes, admin } = await pool();
  const [idle, busy] = [await open(), await open()];
  await node.remembered();
  for (const n of numbers(290)) await busy.receive([priced(n)]);
  for (const n of numbers(280)) await busy.markInflight([hashOf(n)]);
  expect(await admin.xlen(changes)).toBe(570);
  expect(await idle.receive([priced(7)])).toEqual([{ kind: 'duplicate', hash: hashOf(7), stage: 'Propagated' }]);
  expect(await idle.reap()).toEqual(await busy.reap());
  expect(await node.remembered()).toEqual(await node.stored());
});

test('a node that missed more than the server remembers reads the pool anew, and goes on', async () => {
  const { open, node, changes, admin } = await pool();
  const [idle, busy] = [await open(), await open()];
  await node.remembered();
  for (const n of numbers(600)) await busy.receive([priced(n, { priority: BigInt(n) })]);
  await admin.xtrim(changes, 'MAXLEN', 500);
  expect(await idle.receive([priced(600), priced(1, { priority: 1n })])).toMatchObject([
    { kind: 'duplicate' },
    { kind: 'full' },
  ]);
  expect((await idle.reap()).map(({ hash }) => hash)).toEqual(numbers(300, 301).reverse().map(hashOf));
  expect(await node.remembered()).toEqual(await node.stored());
});

test('what the server remembers for other nodes is bounded in number and in bytes', async () => {
  const { open, changes, admin } = await pool();
  await open();
  const written = admin.pipeline().hset(changes.replace('changes', 'meta'), 'version', 6_000);
  for (const version of numbers(6_000)) written.xadd(changes, `${version}-0`, 'stamp', 'a change');
  await written.exec();
  const store = await open();
  await store.receive([priced(1, { priority: 1n })]);
  expect(await admin.xlen(changes)).toBeLessThan(5_200);
  const tags = (n: number) => numbers(256).map((tag) => `${n}/${tag}`.padEnd(256, 'x'));
  for (const n of numbers(250, 1_000)) await store.receive([priced(n, { priority: BigInt(n), provides: tags(n) })]);
  expect(Number(await admin.memory('USAGE', changes, 'SAMPLES', '0'))).toBeLessThan(10 * 1024 * 1024);
});

test('a change that cannot be read is made up for by reading the pool anew', async () => {
  const { open, node, changes, admin } = await pool();
  const [idle, busy] = [await open(), await open()];
  await node.remembered();
  await busy.receive([priced(1)]);
  const [[id, [before]]] = (await admin.xrangeBuffer(changes, '-', '+')) as unknown as [[Buffer, [Buffer, Buffer]]];
  await admin.del(changes);
  await admin.xadd(changes, String(id), before, Buffer.from('nonsense'));
  expect(await idle.reap()).toMatchObject([{ hash: hashOf(1) }]);
  expect(await idle.receive([priced(2)])).toMatchObject([{ kind: 'received', seq: 2 }]);
  expect(await node.remembered()).toEqual(await node.stored());
});

test('a node whose calls are aborted blocks the others for a moment only', async () => {
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
