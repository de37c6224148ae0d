import type { Subject } from 'mempool-conformance';
import type { MempoolStore, ReadOptions } from 'mempool-core';
import { subject as byArrival } from '../subject.ts';

/** Without what the cases of the lifecycle do not know: they compare all that `usage` says. */
function withoutLoad(store: MempoolStore): MempoolStore {
  const usage = async (options?: ReadOptions) => {
    const { load: _, ...rest } = await store.usage(options);
    return rest;
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'usage') return usage;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The cases of all pools on priority pools: where all pay the same, the order is that of arrival. */
export const subject: Subject = {
  ...byArrival,
  name: 'redis by priority',
  module: import.meta.url,
  open: async (pool, options) => {
    if (options?.ordering !== undefined) return byArrival.open(pool, options);
    return withoutLoad(await byArrival.open(pool, { ...options, ordering: 'priority' }));
  },
};
