import { allCases, type ConformanceCase, electionCases, type Subject } from 'mempool-conformance';
import type { MempoolStore } from 'mempool-core';
import { verbsOf } from '../src/verbs.ts';
import { storeVerbs } from './mutants/mutant.ts';

/**
 * The cases of every pool, for pools by priority: where nobody says a priority, the order is that of arrival. A child process
 * would open the pool as the subject's own module does, in the other order.
 */
export const lifecycleCases: readonly ConformanceCase[] = allCases.filter(
  (one) => !electionCases.includes(one) && !one.needs?.includes('priority') && !one.needs?.includes('child-process'),
);

/** The subject with pools by priority, whose usage says no more than that of any pool. */
export function prioritized(subject: Subject): Subject {
  return {
    ...subject,
    name: `${subject.name} by priority`,
    open: async (pool, options) => withoutLoad(await subject.open(pool, { ordering: 'priority', ...options })),
  };
}

function withoutLoad(store: MempoolStore): MempoolStore {
  const { name, capabilities, ordering } = store;
  return {
    name,
    capabilities,
    ordering,
    ...verbsOf(store, storeVerbs),
    async usage(options) {
      const { load: _, ...usage } = await store.usage(options);
      return usage;
    },
  };
}
