import type { Redis } from 'ioredis';
import { isMempoolError } from 'mempool-core';
import { badOption, type LeaseStoreOptions } from 'mempool-election';
import { createClient, type RedisOptions, type Tuning, taggedPrefix } from '../connection/options.ts';

/** What `redisElection` takes beside the options of every election: `url` and what goes with it, or `client`. */
export interface RedisElectionOptions extends Omit<RedisOptions, 'url'> {
  /** `redis://` or, with TLS, `rediss://` `[user][:password]@host[:port][/database number]`. */
  readonly url?: string | undefined;
  /** Name of the pool that the leader writes to; the keys begin with it unless `keyPrefix` says otherwise. Default `mempool`. */
  readonly pool?: string | undefined;
  /**
   * A client of your own instead of `url`. It stays yours to close; a duplicate of it listens for messages. Refused unless
   * it has the options that keep a command from waiting or from being sent again: see the README.
   */
  readonly client?: Redis | undefined;
}

export type OpenOptions = LeaseStoreOptions & RedisElectionOptions;

/** Two connections: one that subscribed can do nothing else. */
export interface Clients {
  readonly commands: Redis;
  readonly messages: Redis;
  /** False for a caller's own: it is neither closed nor given up. */
  readonly owned: boolean;
}

/** How long it may take to connect, at least: a handshake takes longer than a command. */
export const connectMs = 1_000;

/** `Hints` subscribes anew: where the client's own attempt has no answer, its rejection is handled by nobody. */
const listening: Tuning = { autoResubscribe: false };

/** @throws `ERR_ELECTION_OPTION` naming the field */
export function createClients(options: OpenOptions): Clients {
  const { client, url, commandTimeoutMs } = options;
  if (client !== undefined) {
    if (url !== undefined) throw badOption('client', 'given without url');
    checkClient(client, commandTimeoutMs);
    return { commands: client, messages: client.duplicate({ ...listening, lazyConnect: true }), owned: false };
  }
  const timeouts = { connectTimeout: Math.max(connectMs, commandTimeoutMs), commandTimeout: commandTimeoutMs };
  const create = (more: Tuning) => checked('url', () => createClient({ ...options, url: url as string }, more));
  return { commands: create(timeouts), messages: create({ ...timeouts, ...listening }), owned: true };
}

/** What the election's keys begin with, as the pool's own do. @throws `ERR_ELECTION_OPTION` naming the field */
export function electionPrefix({ name, keyPrefix, pool = 'mempool' }: OpenOptions): string {
  const [field, prefix] = keyPrefix === undefined ? ['pool', pool] : ['keyPrefix', keyPrefix];
  return `${checked(field, () => taggedPrefix(prefix))}:${name}`;
}

function checked<T>(field: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_INVALID')) throw error;
    // Its words begin with the name of its own field.
    throw badOption(error.details.field === 'tls' ? 'tls' : field, error.message.replace(/^.*? must be /, ''));
  }
}

function checkClient(client: Redis, commandTimeoutMs: number): void {
  if (client?.isCluster) throw badOption('client', 'a Redis of ioredis: a Cluster is not supported yet');
  const options = client?.options;
  if (typeof client?.duplicate !== 'function' || options === undefined) throw badOption('client', 'a Redis of ioredis');
  const { commandTimeout = 0 } = options;
  const wanted: readonly (readonly [option: string, fits: boolean])[] = [
    ['enableOfflineQueue: false', options.enableOfflineQueue === false],
    ['autoResendUnfulfilledCommands: false', options.autoResendUnfulfilledCommands === false],
    ['maxRetriesPerRequest: 0', options.maxRetriesPerRequest === 0],
    [`a commandTimeout of at most ${commandTimeoutMs}`, commandTimeout > 0 && commandTimeout <= commandTimeoutMs],
    ['a retryStrategy', typeof options.retryStrategy === 'function'],
    ['no keyPrefix', (options.keyPrefix ?? '') === ''],
  ];
  const missing = wanted.filter(([, fits]) => !fits).map(([option]) => option);
  if (missing.length > 0) throw badOption('client', `a Redis with ${missing.join(', ')}`);
}
