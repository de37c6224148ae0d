import type { PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { limiting, ranked, ranking, seeing } from './priority-pool.ts';
import { endless, flying, sweeping } from './priority-sweeping.ts';

/** P6: limits as they are kept, and what is over them. */
export const limitMutants: readonly Mutant[] = [
  limiting('sweep-evicts-as-many-as-a-newcomer', ['sweep'], ({ maxTxs, maxEvictions }) => ({
    maxTxs: maxEvictions < 100 ? maxTxs + maxEvictions : maxTxs,
  })),
  limiting('sweep-leaves-one-over', ['sweep'], ({ maxTxs }) => ({ maxTxs: maxTxs + 1 })),
  limiting('sweep-evicts-one-more', ['sweep'], ({ maxTxs }) => ({ maxTxs: maxTxs - 1 })),
  limiting('sweep-counts-transactions-alone', ['sweep'], () => ({ maxBytes: endless })),
  limiting('sweep-frees-some-bytes-more', ['sweep'], ({ maxBytes }) => ({ maxBytes: maxBytes - 10 })),
  limiting('sweep-evicts-nothing-without-eviction', ['sweep'], ({ maxTxs, eviction }) => ({
    maxTxs: eviction === 'none' ? endless : maxTxs,
  })),
  seeing('sweep-evicts-from-the-front', ['sweep'], ({ index }) => ({
    order: {
      get last() {
        return index.order.first;
      },
    } as PoolIndex['order'],
  })),
  seeing('sweep-evicts-the-ready-first', ['sweep'], ({ index }) => ({
    order: {
      get last() {
        return [...index.order].filter(({ place }) => place.ready).at(-1) ?? index.order.last;
      },
    } as PoolIndex['order'],
  })),
  sweeping('sweep-evicts-in-flight-too', async (swept, driver, { index }, [, context]) => {
    const over = index.totals.transactions - index.limits.maxTxs;
    const evicted = await driver.drop(flying(index).slice(0, Math.max(0, over)), 'evicted', context);
    return { ...swept, evicted: [...swept.evicted, ...evicted] };
  }),
  ranking('returns-evict-at-once', (driver) => ({
    rollback: async (point, context) => {
      const outcome = await driver.rollback(point, context);
      await driver.sweep({ now: null, height: null }, { ...context, operationId: undefined });
      return outcome;
    },
  })),
  ranking('set-limits-evict-at-once', (driver) => ({
    setLimits: async (limits, context) => {
      const set = await driver.setLimits(limits, context);
      await driver.sweep({ now: null, height: null }, { ...context, operationId: undefined });
      return set;
    },
  })),
  ranking('set-limits-tell-what-was-named', (driver) => ({
    setLimits: async (limits, context) => {
      const set = await driver.setLimits(limits, context);
      return Object.keys(limits).length === 2 ? (limits as typeof set) : set;
    },
  })),
  ranked('set-limits-forget-the-rest', {
    answer: (driver, { index }) => ({
      setLimits: (limits, context) => {
        if (Object.keys(limits).length > 0) index.limits = { ...index.limits, ttlMs: endless };
        return driver.setLimits(limits, context);
      },
    }),
  }),
  ranking('set-limits-set-numbers-alone', (driver) => ({
    setLimits: (limits, context) =>
      driver.setLimits(
        Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== endless)) as typeof limits,
        context,
      ),
  })),
  ranked('limits-of-the-open-alone', {
    answer: (driver, { index }) => {
      const { limits } = index;
      return {
        admit: async (...given) => {
          const now = index.limits;
          index.limits = { ...limits, maxTxs: now.maxTxs, maxBytes: now.maxBytes };
          const outcomes = await driver.admit(...given);
          index.limits = now;
          return outcomes;
        },
      };
    },
  }),
  ranked('another-default', {
    options: (options) => ({ ...options, limits: { maxParked: 1_000, ...options.limits } }),
  }),
  ranked('blocks-to-live-not-kept', {
    options: ({ limits: { ttlBlocks: _, ...limits }, ...options }) => ({ ...options, limits }),
  }),
  ranked('log-as-long-as-the-pool', {
    options: (options) => ({
      ...options,
      retention: options.limits.maxTxs === 1 ? { maxFinalized: 1, ...options.retention } : options.retention,
    }),
  }),
];
