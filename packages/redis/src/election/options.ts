import type { Redis } from 'ioredis';
import { isMempoolError } from 'mempool-core';
import { badOption, type LeaseStoreOptions } from 'mempool-election';
import { createClient, type RedisOptions, type Tuning, taggedPrefix } from '../connection/options.ts';

/** Options of `redisElection` beside those of every election: `url` and its options, or `client`. */
export interface RedisElectionOptions extends Omit<RedisOptions, 'url'> {
  /** `redis://` or, with TLS, `rediss://` `[user][:password]@host[:port][/database number]`. */
  readonly url?: string | undefined;
  /** Name of the pool that the leader writes to; default `mempool`. The keys begin with it, unless there is a `keyPrefix`. */
  readonly pool?: string | undefined;
  /**
   * Your own client instead of `url`. You close it yourself; a duplicate of it listens for messages. It is refused unless its options
   * prevent that a command waits or is sent again: see the README.
   */
  readonly client?: Redis | undefined;
}

export type OpenOptions = LeaseStoreOptions & RedisElectionOptions;

/** Two connections, because a subscribed one cannot send other commands. */
export interface Clients {
  readonly commands: Redis;
  readonly messages: Redis;
  /** False for the caller's own client, which is never closed here. */
  readonly owned: boolean;
}

/** Minimum timeout to connect: a handshake takes longer than a command. */
export const connectMs = 1_000;

/** `Hints` subscribes again itself. If the client did, a missing answer would be an unhandled rejection. */
const listening: Tuning = { autoResubscribe: false };

/** Creates the two clients of an election, or takes the caller's. @throws `ERR_ELECTION_OPTION` naming the field */
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

/** Prefix of the election's keys, with the same hash tag as the pool's. @throws `ERR_ELECTION_OPTION` naming the field */
export function electionPrefix({ name, keyPrefix, pool = 'mempool' }: OpenOptions): string {
  const [field, prefix] = keyPrefix === undefined ? ['pool', pool] : ['keyPrefix', keyPrefix];
  return `${checked(field, () => taggedPrefix(prefix))}:${name}`;
}

function checked<T>(field: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_INVALID')) throw error;
    // The message begins with the name of its own field.
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
