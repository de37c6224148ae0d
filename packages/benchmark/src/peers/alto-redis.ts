import type { Redis } from 'ioredis';
import { altoSteps, chainId, entryPoint, openAlto } from './alto.ts';
import type { Peer, PeerPlace, PeerStore } from './peer.ts';

/** Alto's stores keep a client each and never close it. */
interface WithClient {
  readonly redis: Redis;
}

async function open({ folder, url, name }: PeerPlace): Promise<PeerStore> {
  const settings = { redisKeyPrefix: name, redisEndpoint: url, enableHorizontalScaling: true };
  const stores = await openAlto(folder, settings);
  const clients = Object.values(stores).map((store) => (store as object as WithClient).redis);
  for (const client of clients) client.on('error', () => undefined);
  await Promise.all(clients.map((client) => client.ping()));
  return {
    ...altoSteps(stores),
    async census() {
      const keys = `${name}:${chainId}:${entryPoint}`;
      const [client] = clients as [Redis];
      const waiting = await client.zrange(`${keys}:outstanding:ready-queue`, '0', '-1');
      const inflight = await client.smembers(`${keys}:processing:userOps`);
      const bare = (hashes: readonly string[]): string[] => hashes.map((hash) => hash.slice(2));
      return { waiting: bare(waiting), inflight: bare(inflight), done: [] };
    },
    async close() {
      for (const client of clients) client.disconnect();
    },
  };
}

export const altoRedis: Peer = {
  name: 'Alto, Redis',
  package: '@pimlico/alto',
  lacks:
    'popping and marking are separate commands; payloads in flight are in no store; no blocks, roll-back or chain tip',
  open,
};
