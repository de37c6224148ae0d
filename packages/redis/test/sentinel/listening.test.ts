import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { SentinelLookup } from '../../src/connection/sentinel.ts';
import { operator, ownGroup, ownProxy } from '../own-server.ts';

test('a Sentinel that falls silent while a client subscribes again ends no process, and is listened to when it answers', async () => {
  const group = await ownGroup({ replicas: 0, sentinels: 1 });
  const { masterName, sentinels } = group.endpoint;
  const way = await ownProxy(`redis://${sentinels[0]}`);
  const { hostname, port } = new URL(way.url);
  const client = new Redis({
    Connector: SentinelLookup,
    sentinels: [{ host: hostname, port: Number(port) }],
    name: masterName,
    role: 'master',
    failoverDetector: true,
    sentinelReconnectStrategy: () => 10,
  });
  onTestFinished(() => client.disconnect());
  const sentinel = operator(`redis://${sentinels[0]}`);
  const listeners = async () => String(await sentinel.call('CLIENT', 'LIST', 'TYPE', 'pubsub')).match(/ sub=1 /g);
  await expect.poll(listeners).toHaveLength(1);
  way.silenceNext('subscribe');
  await sentinel.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  expect(await listeners()).toBeNull();
  await expect.poll(listeners).toHaveLength(1);
});
