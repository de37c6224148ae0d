import type { PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { priority, type RankedFaults } from './priority-pool.ts';
import { endless, flying, now } from './priority-sweeping.ts';

/** Another one leaves first when a sweep evicts. */
function evicting(id: string, lastOf: (order: PoolIndex['order']) => PoolIndex['order']['last']): Mutant {
  return priority.view(id, ['sweep'], ({ index }) => ({
    order: {
      get last() {
        return lastOf(index.order);
      },
    } as PoolIndex['order'],
  }));
}

const optioned = (id: string, options: NonNullable<RankedFaults['options']>): Mutant =>
  priority.faults(id, { options });

/** P6: limits as they are kept, and what is over them. */
export const limitMutants: readonly Mutant[] = [
  priority.limits('sweep-evicts-as-many-as-a-newcomer', ['sweep'], ({ maxTxs, maxEvictions }) => ({
    maxTxs: maxEvictions < 100 ? maxTxs + maxEvictions : maxTxs,
  })),
  priority.limits('sweep-leaves-one-over', ['sweep'], ({ maxTxs }) => ({ maxTxs: maxTxs + 1 })),
  priority.limits('sweep-evicts-one-more', ['sweep'], ({ maxTxs }) => ({ maxTxs: maxTxs - 1 })),
  priority.limits('sweep-counts-transactions-alone', ['sweep'], () => ({ maxBytes: endless })),
  priority.limits('sweep-frees-some-bytes-more', ['sweep'], ({ maxBytes }) => ({ maxBytes: maxBytes - 10 })),
  priority.limits('sweep-evicts-nothing-without-eviction', ['sweep'], ({ maxTxs, eviction }) => ({
    maxTxs: eviction === 'none' ? endless : maxTxs,
  })),
  evicting('sweep-evicts-from-the-front', (order) => order.first),
  evicting(
    'sweep-evicts-the-ready-first',
    (order) => [...order].filter(({ place }) => place.ready).at(-1) ?? order.last,
  ),
  priority.told('sweep-evicts-in-flight-too', {
    sweep: async ({ evicted }, { whole, index }) => {
      const over = Math.max(0, index.totals.transactions - index.limits.maxTxs);
      return { evicted: [...evicted, ...(await whole.drop(flying(index).slice(0, over), 'evicted', free))] };
    },
  }),
  priority.told('returns-evict-at-once', { rollback: async (_, { whole }) => void (await whole.sweep(now, free)) }),
  priority.told('set-limits-evict-at-once', { setLimits: async (_, { whole }) => void (await whole.sweep(now, free)) }),
  priority.around('set-limits-tell-what-was-named', {
    setLimits: async ({ whole, given }) => {
      const set = await whole.setLimits(...given);
      return Object.keys(given[0]).length === 2 ? given[0] : set;
    },
  }),
  priority.given('set-limits-forget-the-rest', {
    setLimits: (limits, { index }) => {
      if (Object.keys(limits).length > 0) index.limits = { ...index.limits, ttlMs: endless };
    },
  }),
  priority.around('set-limits-set-numbers-alone', {
    setLimits: ({ whole, given: [limits, context] }) =>
      whole.setLimits(Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== endless)), context),
  }),
  priority.plant('limits-of-the-open-alone', (driver, { index }) => {
    const { limits } = index;
    return {
      admit: async (...given) => {
        const set = index.limits;
        index.limits = { ...limits, maxTxs: set.maxTxs, maxBytes: set.maxBytes };
        const outcomes = await driver.admit(...given);
        index.limits = set;
        return outcomes;
      },
    };
  }),
  optioned('another-default', (options) => ({ ...options, limits: { maxParked: 1_000, ...options.limits } })),
  optioned('blocks-to-live-not-kept', ({ limits: { ttlBlocks: _, ...limits }, ...options }) => ({
    ...options,
    limits,
  })),
  optioned('log-as-long-as-the-pool', ({ retention, ...options }) => ({
    ...options,
    retention: options.limits.maxTxs === 1 ? { maxFinalized: 1, ...retention } : retention,
  })),
];
