import { isMempoolError } from 'mempool-core';
import { badOption, type LeaseStoreOptions } from 'mempool-election';
import { defaultReplicaMs, type RedisOptions, taggedPrefix } from '../connection/options.ts';
import type { LeaseReplication } from './connection.ts';

/** The own options of `redisElection`. */
export interface RedisElectionOptions extends RedisOptions {
  /** Name of the pool that the leader writes to; default `mempool`. The keys begin with it, unless `keyPrefix` is given. */
  readonly pool?: string | undefined;
}

export type OpenOptions = LeaseStoreOptions & RedisElectionOptions;

/** Returns the prefix of the election's keys, with the hash tag of the pool's. @throws `ERR_ELECTION_OPTION` naming the field */
export function electionPrefix({ name, keyPrefix, pool = 'mempool' }: OpenOptions): string {
  const [field, prefix] = keyPrefix === undefined ? ['pool', pool] : ['keyPrefix', keyPrefix];
  return `${checked(field, () => taggedPrefix(prefix))}:${name}`;
}

/** Returns the replicas that a lease waits for, for at most half the time of a command; `null` for none. @throws `ERR_ELECTION_OPTION` */
export function replicationOf(options: OpenOptions): LeaseReplication | null {
  const { minReplicas = 0, replicaTimeoutMs = defaultReplicaMs, commandTimeoutMs } = options;
  if (!Number.isInteger(minReplicas) || minReplicas < 0) throw badOption('minReplicas', 'a whole number of at least 0');
  if (!Number.isInteger(replicaTimeoutMs) || replicaTimeoutMs < 1)
    throw badOption('replicaTimeoutMs', 'a whole number of milliseconds of at least 1');
  const waitMs = Math.max(1, Math.min(replicaTimeoutMs, Math.floor(commandTimeoutMs / 2)));
  return minReplicas === 0 ? null : { minReplicas, waitMs };
}

/** Returns the value of `make`, whose options a pool has too. @throws `ERR_ELECTION_OPTION` naming the field */
export function checked<T>(field: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_INVALID')) throw error;
    // The message begins with the name of its own field.
    const named = String(error.details.field);
    throw badOption(field === 'url' ? named : field, error.message.replace(/^.*? must be /, ''));
  }
}
