import {
  fencedAtTheDoor,
  fencedLate,
  guardedPriority,
  type Leading,
  leaderOf,
  leading,
  renewing,
  unrenewing,
} from './guarded.ts';
import { electing } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { pools, priorities } from './stores.ts';

const ordering = 'priority';

/** X6: the verbs that only a leader may use, in a changed way. */
const leads = (id: string, run: (at: Leading) => object | Promise<object>): Mutant =>
  leading(guardedPriority, `priority-${id}`, run);

/** An option of `open` that pools by priority ignore. */
function ignored(id: string, ...names: readonly string[]): Mutant {
  return pools.opened(`priority-${id}`, (options) => {
    const kept = Object.entries(options).filter(([name]) => options.ordering !== ordering || !names.includes(name));
    return Object.fromEntries(kept);
  });
}

/** O6: pages by seq that do not end at their size. */
function endless(verb: 'peekPending' | 'peekInflight'): Mutant {
  return priorities.every(`priority-${verb}-without-a-size`, [verb], async ({ store, given }) => {
    const { after = 0, limit = 100 } = given[0] ?? {};
    const page = await store[verb]({ after, limit });
    for (let next = page; next.length > 0 && page.length < limit; page.push(...next))
      next = await store[verb]({ after: page.at(-1)?.seq ?? after, limit: limit - page.length });
    return page;
  });
}

/** The rules of every pool, broken in pools by priority alone. */
export const priorityLifecycleMutants: readonly Mutant[] = [
  leads('unfenced', ({ call, options, hall }) => call({ ...options, lease: leaderOf(hall) ?? undefined })),
  electing('priority-lease-not-prolonged', { ordering, source: () => ({ extend: () => undefined }) }),
  leads('fence-before-the-operation', fencedLate),
  leads('fence-at-the-door', fencedAtTheDoor),
  unrenewing('priority-rollback-without-renewal', ordering, () => true),
  electing('priority-demand-ignored', { ordering, options: ({ fenced: _, ...options }) => options }),
  leads('fenced-renews', renewing),
  endless('peekPending'),
  endless('peekInflight'),
  priorities.told('priority-log-without-a-size', {
    dumpFinalized: async (page, { store, given: [query] }) => {
      if (!page.hasMore || page.entries.length >= (query?.limit ?? 100)) return page;
      const rest = await store.dumpFinalized({ ...query, cursor: page.cursor });
      return { ...rest, entries: [...page.entries, ...rest.entries], missed: page.missed };
    },
  }),
  ignored('thresholds-of-open-ignored', 'finalizeThreshold', 'dropThreshold'),
  ignored('depth-of-open-ignored', 'maxRollback'),
  ignored('log-of-open-ignored', 'maxFinalized'),
  priorities.around('priority-blocks-are-not-recorded', {
    confirm: ({ store, given: [block, policy, { operationId: _, ...options } = {}] }) =>
      store.confirm(block, policy, options),
  }),
  priorities.told('priority-slot-zero-is-no-tip', {
    tip: ({ point, ...tip }) => ({ ...tip, point: point?.slot ? point : null }),
  }),
  priorities.told('priority-tip-without-points', { tip: () => ({ points: [] }) }),
];
