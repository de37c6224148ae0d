import { ownProxy, ownServer } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { eventually } from '../src/node/wait.ts';
import { startCluster } from './cluster.ts';
import { lockKey, operator } from './pool-keys.ts';

/** Two servers, the second a replica of the first. `a` leads and has confirmed block 1, which is the last that the replica gets. */
async function laggingReplica() {
  const primary = await ownServer('--repl-diskless-sync-delay', '0');
  const link = await ownProxy(primary.url);
  const replica = await ownServer();
  const way = await ownProxy(primary.url);
  const source = operator(primary.url);
  const copy = operator(replica.url);
  await copy.replicaof('127.0.0.1', new URL(link.url).port);
  const cluster = await startCluster({ url: way.url, ttlMs: 5_000, blocks: 3, pollMs: 100 });
  const a = await cluster.leader('a', { renewMs: 200 });
  const b = await cluster.follower('b', { renewMs: 200 });
  expect(await a.call('confirm', 1)).toMatchObject({ kind: 'applied' });
  // WAIT asks for what its own connection wrote: all that was written before has gone the same way.
  await source.set('written', 'after the block');
  await eventually(async () => (await source.wait(1, 100)) === 1);
  link.freeze();
  const promote = async () => {
    source.disconnect();
    await primary.kill('SIGKILL');
    await copy.replicaof('NO', 'ONE');
    way.switchTo(replica.url);
  };
  return { cluster, source, copy, a, b, promote };
}

test('a leader whose lease a promoted replica never had puts it back, and goes on with its term', async () => {
  const { cluster, copy, a, b, promote } = await laggingReplica();
  await a.call('resign');
  const { term } = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied' });
  await eventually(async () => (await copy.exists(lockKey(cluster))) === 0);
  const healed = cluster.fault('replica promoted');
  await promote();
  await eventually(async () => (await copy.get(lockKey(cluster))) === 'b');
  healed();
  expect((await cluster.pool.tip()).tick).toBe(1);
  expect(await b.call('status')).toMatchObject({ isLeader: true, term });
  expect(cluster.all('lost').map(({ nodeId }) => nodeId)).toEqual(['a']);
  expect(await a.call('confirm', 2)).toMatchObject({ kind: 'fenced', tip: { tick: 1 } });
  expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied', tip: { tick: 2 } });
  await cluster.conclude();
});

test('a leader gives way to the lease before its own that a promoted replica has, and no term is given out twice', async () => {
  const { cluster, source, copy, a, b, promote } = await laggingReplica();
  await cluster.kill(a);
  cluster.fault('lock deleted, then replica promoted', { removesLease: true });
  await source.del(lockKey(cluster));
  const { term } = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
  expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied' });
  await promote();
  expect(await cluster.until('lost', ({ nodeId }) => nodeId === 'b')).toMatchObject({ reason: 'taken', term });
  expect(await copy.get(lockKey(cluster))).toBe('a');
  expect(await b.call('confirm', 2)).toMatchObject({ kind: 'fenced', tip: { tick: 1 } });
  const next = await cluster.until('acquired', (event) => event.term > term);
  expect(next.nodeId).toBe('b');
  expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied', tip: { tick: 2 } });
  await cluster.conclude();
});
