import assert from 'node:assert/strict';
import { redis, redisElection } from 'mempool-redis';
import { expect, inject, test } from 'vitest';
import { operator, ownServer } from '../own-server.ts';
import { rights, userWith } from '../refusal.ts';
import { candidate, fails, freshLeases, leaseOf, openLeases, openOptions, renewal, request, win } from './node.ts';

const refused = fails('ERR_ELECTION_REFUSED');

test('the rights that the README names are enough for every verb and for messages', async () => {
  const store = await openLeases({ url: await userWith(rights.election) });
  const hints: string[] = [];
  store.onHint((hint) => hints.push(hint));
  const lease = await win(store, 'a');
  await store.renew(lease, renewal('a'));
  await store.heartbeat(candidate('a'), 10_000);
  await store.members();
  await store.observe();
  expect(await store.release(lease)).toBe(true);
  expect(await store.reinstate({ ...lease, term: lease.term + 1 }, renewal('a'))).toMatchObject({ kind: 'renewed' });
  await expect.poll(() => hints).toEqual(['acquired', 'released', 'acquired']);
});

test.for(rights.election.filter((right) => /^[+~&]/.test(right)))(
  'without %s the election is not opened',
  async (right) => {
    const url = await userWith(rights.election.filter((other) => other !== right));
    await assert.rejects(redisElection.open(openOptions({ url })), refused);
  },
);

test('a right that is taken away later is a refusal of the verb that needs it', async () => {
  const url = await userWith(rights.election);
  const store = await openLeases({ url });
  await operator(url.replace('node:secret@', '')).call('ACL', 'SETUSER', 'node', '-pttl');
  await assert.rejects(store.campaign(request('a')), refused);
});

test('a node that lacks a right for its own heartbeat alone holds nothing, neither by a campaign nor by a renewal', async () => {
  const keys = ['lock', 'lease', 'term', 'members', 'probe', 'heartbeat:b'].map((key) => `~{mempool}:watcher:${key}`);
  const url = await userWith([...rights.election.filter((right) => !right.startsWith('~')), ...keys]);
  const store = await openLeases({ url });
  await assert.rejects(store.campaign(request('a')), refused);
  expect(await store.observe()).toEqual({ lease: null, term: 0 });
  const lease = await win(store, 'b');
  await operator(url.replace('node:secret@', '')).call('ACL', 'SETUSER', 'node', 'resetkeys', ...keys.slice(0, -1));
  await assert.rejects(store.renew(lease, renewal('b')), refused);
  expect((await store.observe()).lease).toMatchObject({ ...leaseOf(lease), seq: lease.seq });
});

test('a database number is used, and one that the server lacks is refused', async () => {
  const { url } = await ownServer();
  await assert.rejects(redisElection.open(openOptions({ url: `${url}/99` })), refused);
  await win(await openLeases({ url: `${url}/3` }), 'a');
  expect(await operator(`${url}/3`).get('{mempool}:watcher:lock')).toBe('a');
});

test('a read-only replica is refused', async () => {
  const server = await ownServer();
  const replica = await ownServer('--replicaof', '127.0.0.1', String(server.port));
  await assert.rejects(redisElection.open(openOptions({ url: replica.url })), refused);
  await assert.rejects(redis.open({ url: replica.url }), { code: 'ERR_MEMPOOL_READ_ONLY' });
});

test('a server that lacks a command is refused', async () => {
  const server = await ownServer('--rename-command', 'PEXPIRE', '');
  await assert.rejects(redisElection.open(openOptions({ url: server.url })), refused);
});

test.for(['lock', 'lease', 'term', 'members'])(
  'a key %s of another type is refused, and nothing is written',
  async (name) => {
    const { store, url, key, pool } = await freshLeases();
    const admin = operator(url);
    await admin.lpush(key(name), 'mine');
    await assert.rejects(store.campaign(request('a')), refused);
    await assert.rejects(store.observe(), refused);
    await assert.rejects(redisElection.open(openOptions({ url, pool })), refused);
    expect(await admin.keys(`{${pool}}*`)).toEqual([key(name)]);
    await admin.del(key(name));
    await win(store, 'a');
  },
);

test('no URL, and a prefix that no key may have, are refused, naming the option', async () => {
  await assert.rejects(redisElection.open(openOptions({})), fails('ERR_ELECTION_OPTION', 'url'));
  const url = inject('redisUrl');
  const open = (given: object) => redisElection.open(openOptions({ url, ...given }));
  await assert.rejects(open({ keyPrefix: 'with spaces' }), fails('ERR_ELECTION_OPTION', 'keyPrefix'));
  await assert.rejects(open({ pool: '' }), fails('ERR_ELECTION_OPTION', 'pool'));
});
