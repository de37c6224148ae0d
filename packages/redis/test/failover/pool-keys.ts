import type { Redis } from 'ioredis';
import { keysOf } from '../../src/connection/script.ts';
import { operator, ownServer } from '../own-server.ts';
import type { Cluster } from './cluster.ts';

/** Every byte of the pool, without the election's keys. */
export async function poolBytes(client: Redis, { prefix }: Cluster): Promise<(string | null)[]> {
  const keys = keysOf(prefix, 'both');
  return Promise.all(keys.map(async (key) => (await client.dumpBuffer(key))?.toString('base64') ?? null));
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

/** A server that tells what happens to its keys. */
export function tellingServer(...args: readonly string[]) {
  return ownServer('--notify-keyspace-events', 'KEA', ...args);
}

/** How the lock comes and goes on a telling server, in its own order: `set`, `expired`, `del`. Goes on growing. */
export async function lockMoves(url: string, cluster: Cluster): Promise<readonly string[]> {
  const moves: string[] = [];
  const subscriber = operator(url);
  subscriber.on('message', (_channel, move) => {
    if (move !== 'expire') moves.push(move);
  });
  await subscriber.subscribe(`__keyspace@0__:${lockKey(cluster)}`);
  return moves;
}
