import type { Sweep } from 'mempool-core';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import type { Mutant } from './mutant.ts';
import { arrivals, pools, stores } from './store-operators.ts';

type Verb = 'receive' | 'best' | 'stale' | 'revise' | 'since' | 'confirm' | 'setLimits' | 'drop';

/** Does what it can of a call that it ought to refuse. */
function pretending<V extends Verb>(
  id: string,
  verb: V,
  instead: (store: TestedPool, given: Parameters<TestedPool[V]>) => unknown,
): Mutant {
  return pools.caught(id, [verb], 'ERR_MEMPOOL_UNSUPPORTED', (_, { store, given }) => instead(store, given as never));
}

/** P18. */
export const arrivalMutants: readonly Mutant[] = [
  arrivals.givenEach('verdicts-are-never-for-arrivals', {
    receive: ({ verdict }) => ({ verdict: verdict && { priority: 1n } }),
  }),
  pretending('arrivals-are-never-stale', 'stale', () => []),
  pools.opened('limits-of-an-open-by-arrival-ignored', (options) => {
    const kept = ['ordering', 'maxTxs', 'maxTxBytes', 'pool', 'now'];
    if (options.ordering === 'priority') return options;
    return Object.fromEntries(Object.entries(options).filter(([name]) => kept.includes(name)));
  }),
  stores.opened('limit-at-open-taken-and-forgotten', ({ maxTxs: _, ...options }) => options),
  arrivals.told('arrivals-push-out-the-oldest', {
    receive: async ([first], { store, given }) => {
      const [oldest] = (await store.peekPending({ limit: 1 })).transactions;
      if (first?.kind !== 'full' || oldest === undefined) return null;
      await store.drop([oldest.hash], 'evicted');
      return store.receive(...given);
    },
  }),
];

/** A fault in what a sweep tells. */
function swept(id: string, change: (swept: Sweep) => Partial<Sweep>): Mutant {
  return arrivals.told(id, { sweep: (told) => change(told) });
}

/** P18: what is taken in order of arrival. */
export const arrivalLeaseMutants: readonly Mutant[] = [
  arrivals.told('takes-of-arrivals-tell-another-owner', { take: () => ({ owner: 'somebody else' }) }),
  swept('arrivals-swept-without-more', () => ({ more: false })),
];
