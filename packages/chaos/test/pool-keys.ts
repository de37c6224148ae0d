import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import type { Cluster } from './cluster.ts';

/** An operator's client, closed after the test. */
export function operator(url: string): Redis {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}

/** Every byte of the pool, without the election's keys. */
export async function poolBytes(client: Redis, { prefix }: Cluster): Promise<unknown[]> {
  const keys = (await client.keys(`${prefix}:*`)).filter((key) => !key.startsWith(`${prefix}:watcher:`)).sort();
  return Promise.all(keys.map(async (key) => [key, (await client.dumpBuffer(key))?.toString('base64')]));
}

export function lockKey({ prefix }: Cluster): string {
  return `${prefix}:watcher:lock`;
}

export function leaseKey({ prefix }: Cluster): string {
  return `${prefix}:watcher:lease`;
}

/** How often the lease was renewed; `null` where there is none. */
export async function renewals(client: Redis, cluster: Cluster): Promise<number | null> {
  const seq = await client.hget(leaseKey(cluster), 'seq');
  return seq === null ? null : Number(seq);
}
