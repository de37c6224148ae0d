// What a user of the packages writes first: it must run on every Node that is supported, from the archives alone, and as one bundle.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createElection, inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';
import { openNode } from 'mempool-node';
import { redis, redisElection } from 'mempool-redis';
import { sqlite, sqliteElection } from 'mempool-sqlite';

const hash = '0a'.repeat(32);
const block = { point: { slot: 1, hash: '0b'.repeat(32) }, seen: [hash], unseen: [] };
const pool = `program-${randomUUID()}`;
const nodeId = 'node-1';

async function received(store) {
  const payload = new Uint8Array([1, 2, 3]);
  assert.equal((await store.receive([{ hash, payload, payloadType: 0 }]))[0].kind, 'received');
  assert.deepEqual(await store.markInflight([hash]), [hash]);
  return payload;
}

async function fromReceivedToFinalized(store, election) {
  const payload = await received(store);
  await election.start();
  const confirm = (more) => store.confirm(block, { finalizeThreshold: 1 }, more);
  const answer = await election.runAsLeader((_signal, _term, { lease }) => confirm({ lease }));
  assert.equal(answer.kind, 'applied');
  assert.equal((await store.status([hash]))[0].stage, 'Finalized');
  assert.deepEqual(Buffer.from((await store.dumpFinalized()).entries[0].payload), Buffer.from(payload));
  await election.stop();
  await store.close();
}

async function byPriority(store) {
  await received(store);
  await store.close();
}

/** A chain that has only begun. */
const source = { intersect: async () => ({ point: null, steps: (async function* () {})() }) };

async function asNode(config) {
  const node = await openNode({ ...config, fenced: true }, { source, nodeId });
  assert.equal(await node.election.runAsLeader(() => 'led'), 'led');
  await received(node.pool);
  await node.close();
}

const at = (name) => ({ path: join(process.env.PACKED_POOLS, `${pool}-${name}.sqlite`) });
const onRedis = { url: process.env.PACKED_REDIS_URL, pool };
const leases = new Leases();

await fromReceivedToFinalized(
  await ephemeral.open({ leases, fenced: true }),
  createElection(inProcessElection, { leases, nodeId }),
);
await fromReceivedToFinalized(
  await sqlite.open({ ...at('shared'), fenced: true }),
  createElection(sqliteElection, { ...at('shared'), nodeId }),
);
await fromReceivedToFinalized(
  await redis.open({ ...onRedis, fenced: true }),
  createElection(redisElection, { ...onRedis, nodeId }),
);
await byPriority(await ephemeral.open({ ordering: 'priority' }));
await byPriority(await sqlite.open({ ...at('priority'), ordering: 'priority' }));
await byPriority(await redis.open({ ...onRedis, pool: `${pool}-priority`, ordering: 'priority' }));
await asNode({ backend: 'ephemeral' });
await asNode({ backend: 'sqlite', ...at('node') });
await asNode({ backend: 'redis', ...onRedis, pool: `${pool}-node` });
console.log('ephemeral, sqlite and redis work as packed');
