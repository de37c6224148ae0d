import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { hashOf, point } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { mirrorNode } from './node.ts';
import { numbers, priced } from './priced.ts';

async function pool() {
  const [url, name] = [inject('redisUrl'), randomUUID()];
  const open = async () =>
    (await openPool({ url, pool: name, ordering: 'priority', maxTxs: 300, timeoutMs: 60_000 })).store;
  return { open, node: mirrorNode(url, name), changes: `{${name}}:changes`, admin: operator(url) };
}

test('two nodes that receive at once have one pool, and each sees what the other wrote at its next call', async () => {
  const { open, node } = await pool();
  const [one, two] = [await open(), await open()];
  await Promise.all(
    numbers(40).flatMap((n) => [
      one.receive([priced(2 * n, { provides: [`${n}`] })]),
      two.receive([priced(2 * n + 1, { requires: [`${n}`] })]),
    ]),
  );
  expect(await one.reap()).toEqual(await two.reap());
  expect(await one.usage()).toEqual(await two.usage());
  expect(await node.remembered()).toEqual(await node.stored());
  await one.markInflight([hashOf(800)]);
  const [best] = await two.take({ maxTxs: 1 }, { owner: 'two', claimMs: 1_000 }).then((claim) => claim.transactions);
  expect(await one.markAcknowledged([best?.hash as string])).toEqual([best?.hash]);
});

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

test('other limits and other retention that an open names hold for all nodes from then on', async () => {
  const { node } = await pool();
  const [url, name] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool: name, ordering: 'priority' });
  await store.receive(numbers(5).map((n) => priced(n)));
  await store.drop(numbers(3).map(hashOf), 'failed');
  await openPool({ url, pool: name, ordering: 'priority', maxTxs: 3, maxFinalized: 2 });
  const others = numbers(5, 6).map((n) => priced(n, { priority: -1n }));
  expect((await store.receive(others)).map(({ kind }) => kind)).toEqual(['received', 'full', 'full', 'full', 'full']);
  expect(await store.checkStatus([hashOf(1), hashOf(2)])).toMatchObject([{ stage: 'Unknown' }, { stage: 'Dropped' }]);
  const own = mirrorNode(url, name);
  expect(await own.remembered()).toEqual(await own.stored());
  await expect(node.remembered()).rejects.toThrow();
});

test('a node that opens while others write has what they wrote', async () => {
  const { open, node } = await pool();
  const busy = await open();
  await busy.receive(numbers(300).map((n) => priced(n)));
  let opening = true;
  const writing = (async () => {
    for (let n = 1; opening; n += 1) {
      await busy.receive([priced(1_000 + n, { priority: BigInt(1_000 + n) })]);
      await busy.confirm({ point: point(n), seen: [hashOf(1_000 + n)], unseen: [] });
    }
  })();
  const stores = [await open(), await open(), await open()];
  opening = false;
  await writing;
  for (const store of stores) expect(await store.reap()).toEqual(await busy.reap());
  expect(await node.remembered()).toEqual(await node.stored());
});

test('a call of a thousand large transactions is one step', { timeout: 120_000 }, async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ordering: 'priority', timeoutMs: 60_000 });
  const given = numbers(1_000).map((n) => priced(n, { provides: [`${n}`] }, 40_000));
  expect((await store.receive(given)).every(({ kind }) => kind === 'received')).toBe(true);
  const found = await store.payloads([hashOf(1), hashOf(1_000)]);
  expect(found.map((each) => each !== null && 'payload' in each && each.payload.length)).toEqual([40_000, 40_000]);
  expect(await store.flush()).toBe(1_000);
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
