import { createElection, type Election } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { type NamespaceOptions, poolNames } from 'mempool-sequencer';
import { namespaceOf, type ValidatorConfig } from './config.ts';

type Place = Pick<ValidatorConfig, 'name' | 'protocol' | 'market' | 'redis'>;

/** The pools of a validator on its Redis. */
export function homeOf(place: Place): NamespaceOptions {
  const url = place.redis;
  return {
    ...namespaceOf(place),
    openPool: (pool, limits) => redis.open({ url, pool, ...limits, sweepEveryMs: 500 }),
    removePool: async (pool) => void (await redis.remove({ url, pool })),
  };
}

/** The election of the validator's leader. Its lease is the one that the control pool compares. An observer only reports that it lives. */
export function electionOf(
  config: Place & Pick<ValidatorConfig, 'leaseMs'>,
  nodeId: string,
  { observer = false }: { readonly observer?: boolean } = {},
): Election {
  const { protocol, market } = namespaceOf(config);
  const { control } = poolNames(protocol, market);
  return createElection(redisElection, {
    url: config.redis,
    pool: control,
    nodeId,
    observer,
    ttlMs: config.leaseMs,
    pollMs: Math.floor(config.leaseMs / 5),
  });
}
