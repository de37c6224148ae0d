import assert from 'node:assert/strict';
import { redis, redisElection } from 'mempool-redis';
import { freePort } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { tooOld } from '../../src/open.ts';
import { transactions } from '../chain.ts';
import { openLeases, openOptions } from '../election/node.ts';
import { openPool, operator, ownGroup } from '../own-server.ts';
import { fails } from '../refusal.ts';

const sentinels = ['127.0.0.1:1'];

test.for([
  ['sentinels', { sentinels: [], masterName: 'main' }],
  ['sentinels', { sentinels: ['redis://127.0.0.1'], masterName: 'main' }],
  ['sentinels', { sentinels, masterName: 'main', cluster: ['127.0.0.1:1'] }],
  ['masterName', { sentinels }],
  ['masterName', { sentinels, masterName: '' }],
  ['masterName', { url: 'redis://127.0.0.1:1', masterName: 'main' }],
  ['sentinelPassword', { url: 'redis://127.0.0.1:1', sentinelPassword: 'secret' }],
  ['sentinelPassword', { sentinels, masterName: 'main', sentinelPassword: '' }],
  ['sentinelTls', { sentinels, masterName: 'main', sentinelTls: { cert: 'no certificate' } }],
  ['natMap', { sentinels, masterName: 'main', natMap: { host: '127.0.0.1:1' } }],
  ['url', { sentinels, masterName: 'main', url: 'http://127.0.0.1' }],
] as const)('refuses a bad %s: %o', async ([field, options]) => {
  await assert.rejects(redis.open(options), fails('ERR_MEMPOOL_INVALID', { field }));
  await assert.rejects(redisElection.open(openOptions(options)), (error) => {
    expect(error).toMatchObject({ code: 'ERR_ELECTION_OPTION', field });
    return true;
  });
});

test('Sentinels that are not there are out of reach, and the message tells which', async () => {
  const dead = `127.0.0.1:${await freePort()}`;
  await assert.rejects(redis.open({ sentinels: [dead], masterName: 'main', timeoutMs: 300 }), (error) => {
    expect((error as Error).message).toMatch(new RegExp(`${dead} because connect ECONNREFUSED`));
    return fails('ERR_MEMPOOL_UNAVAILABLE')(error);
  });
});

test('a group with passwords, users and a database: each wrong one is told, and the right ones open pool and election', async () => {
  const group = await ownGroup({ replicas: 1, sentinels: 1 });
  const { endpoint } = group;
  const asked = operator(`redis://${endpoint.sentinels[0]}`);
  await asked.call('ACL', 'SETUSER', 'node', 'on', '>watching', '~*', '&*', '+@all');
  await asked.call('ACL', 'SETUSER', 'default', '-@all');
  for (const { admin } of group.nodes)
    await admin.call('ACL', 'SETUSER', 'node', 'on', '>secret', '~{mempool}:*', '&*', '+@all');
  const right = {
    ...endpoint,
    url: 'redis://node:secret@ignored/0',
    sentinelUsername: 'node',
    sentinelPassword: 'watching',
  };

  const { store } = await openPool({ ...right, minReplicas: 1 });
  expect(await store.receive(transactions(1))).toMatchObject([{ kind: 'received' }]);
  const leases = await redisElection.open(openOptions(right));
  expect(await leases.observe()).toMatchObject({ lease: null });
  await leases.close();

  const wrong = { ...right, sentinelPassword: 'wrong' };
  await assert.rejects(redis.open(wrong), fails('ERR_MEMPOOL_AUTH'));
  await assert.rejects(redisElection.open(openOptions(wrong)), { code: 'ERR_ELECTION_REFUSED' });
  await assert.rejects(redis.open({ ...right, url: 'redis://node:wrong@ignored' }), fails('ERR_MEMPOOL_AUTH'));
  const unknown = { ...right, masterName: 'other' };
  await assert.rejects(redis.open(unknown), fails('ERR_MEMPOOL_INVALID', { field: 'masterName' }));
  await assert.rejects(redisElection.open(openOptions(unknown)), { code: 'ERR_ELECTION_REFUSED' });

  const [first = ''] = endpoint.sentinels;
  const partly = { ...unknown, sentinels: [first, `127.0.0.1:${await freePort()}`] };
  await assert.rejects(redis.open({ ...partly, timeoutMs: 300 }), fails('ERR_MEMPOOL_UNAVAILABLE'));
  await assert.rejects(redisElection.open(openOptions({ ...partly, commandTimeoutMs: 300 })), {
    code: 'ERR_ELECTION_UNAVAILABLE',
  });
});

test('a name that the Sentinels no longer know is final for an election that opens, and temporary for one that is open', async () => {
  const group = await ownGroup({ replicas: 0, sentinels: 1 });
  const { endpoint, nodes } = group;
  const leases = await openLeases(endpoint);
  const sentinel = operator(`redis://${endpoint.sentinels[0]}`);
  await sentinel.call('SENTINEL', 'REMOVE', endpoint.masterName);
  nodes[0]?.link.down();
  await assert.rejects(redisElection.open(openOptions(endpoint)), { code: 'ERR_ELECTION_REFUSED' });
  const problem = () => leases.observe().catch((error: Error) => error.message);
  await expect.poll(problem).toContain('no Sentinel names a master');
  await assert.rejects(leases.observe(), { code: 'ERR_ELECTION_UNAVAILABLE' });
});

test('a server is older than the least version only if it says so', () => {
  expect(tooOld('# Server\r\nredis_version:6.0.16\r\nredis_git_sha1:0')).toBe('6.0.16');
  expect(tooOld('redis_version:5.0.14')).toBe('5.0.14');
  expect(tooOld('redis_version:6.2.0')).toBeNull();
  expect(tooOld('redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1')).toBeNull();
  expect(tooOld('')).toBeNull();
});
