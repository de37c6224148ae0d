import { redis } from 'mempool-redis';
import type { NamespaceOptions } from 'mempool-sequencer';

/** How many processes of each role a validator has. */
export const crew = { gateway: 1, dequeuer: 2, finalizer: 2, aggregator: 1, monitor: 1, relayer: 1 } as const;
export type Role = keyof typeof crew;
export const roles: readonly Role[] = Object.keys(crew) as Role[];

/** A validator, as its configuration names it. */
export interface Place {
  readonly name: string;
  readonly protocol: string;
  readonly market: string;
  readonly redis: string;
  readonly gossipPort: number;
  readonly httpPort: number;
}

/** The names of a validator's namespace. */
export function namespaceOf({ name, protocol, market }: Pick<Place, 'name' | 'protocol' | 'market'>): {
  readonly protocol: string;
  readonly market: string;
} {
  return { protocol: `${protocol}/${name}`, market };
}

/** The pools of a validator on its Redis. */
export function homeOf(place: Place): NamespaceOptions {
  const url = place.redis;
  return {
    ...namespaceOf(place),
    openPool: (pool, limits) => redis.open({ url, pool, ...limits }),
    removePool: async (pool) => void (await redis.remove({ url, pool })),
  };
}
