import type { MempoolStore, OpenOptions, SeqQuery, WriteOptions } from 'mempool-core';
import { isFenced } from 'mempool-core/backend';
import { fencedAtTheDoor, unrenewing } from './fencing.ts';
import { electing, type Hall } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { rankedOpened, rankedStore } from './priority-pool.ts';

const election = 'watcher';
const ordering = 'priority';
type Leading = Parameters<MempoolStore['rollback']>[1];

/** A fault in what a pool by priority has in common with every other, in that one alone. */
function common(id: string, plant: (store: MempoolStore) => Partial<MempoolStore>): Mutant {
  return rankedStore(`priority-${id}`, (store) => (store.ordering === ordering ? plant(store) : {}));
}

/** The options of `open` changed for pools by priority alone. */
function commonOpened(id: string, change: (options: OpenOptions) => OpenOptions): Mutant {
  return rankedOpened(`priority-${id}`, (options) => (options.ordering === ordering ? change(options) : options));
}

/** X6: both verbs that only a leader may use, in a changed way. */
function leading(
  id: string,
  around: <T extends { readonly kind: string; readonly tip: unknown }>(
    call: (options: Leading) => Promise<T>,
    options: Leading,
    hall: Hall,
  ) => Promise<T>,
): Mutant {
  return electing(`priority-${id}`, {
    ordering,
    pool: (store, hall) => ({
      confirm: (block, policy, options) => around((given) => store.confirm(block, policy, given), options, hall),
      rollback: (point, options) => around((given) => store.rollback(point, given), options, hall),
    }),
  });
}

const fencing: readonly Mutant[] = [
  leading('unfenced', (call, options, { source }) => call({ ...options, lease: source.held(election) ?? undefined })),
  electing('priority-lease-not-prolonged', { ordering, source: () => ({ extend: () => undefined }) }),
  leading('fence-before-the-operation', async (call, options, { source }) => {
    const outcome = await call(options);
    const isLate = isFenced(source.held(election), options?.lease ?? null, false);
    return isLate ? ({ kind: 'fenced', tip: outcome.tip } as typeof outcome) : outcome;
  }),
  leading('fence-at-the-door', fencedAtTheDoor),
  unrenewing('priority-rollback-without-renewal', ordering, () => true),
  electing('priority-demand-ignored', { ordering, options: ({ fenced: _, ...options }) => options }),
  leading('fenced-renews', async (call, options, { source }) => {
    const outcome = await call(options);
    if (outcome.kind === 'fenced') source.extend(election);
    return outcome;
  }),
];

/** O6: pages by seq that do not end at their size. */
function endless(verb: 'peekPending' | 'peekInflight'): Mutant {
  return common(`${verb}-without-a-size`, (store) => ({
    async [verb]({ after = 0, limit = 100 }: SeqQuery = {}) {
      const page = await store[verb]({ after, limit });
      for (let next = page; next.length > 0 && page.length < limit; page.push(...next))
        next = await store[verb]({ after: page.at(-1)?.seq ?? after, limit: limit - page.length });
      return page;
    },
  }));
}

const paging: readonly Mutant[] = [
  endless('peekPending'),
  endless('peekInflight'),
  common('log-without-a-size', (store) => ({
    async dumpFinalized(query) {
      const page = await store.dumpFinalized(query);
      if (!page.hasMore || page.entries.length >= (query?.limit ?? 100)) return page;
      const rest = await store.dumpFinalized({ ...query, cursor: page.cursor });
      return { ...rest, entries: [...page.entries, ...rest.entries], missed: page.missed };
    },
  })),
];

const opening: readonly Mutant[] = [
  commonOpened('thresholds-of-open-ignored', ({ finalizeThreshold: _, dropThreshold: __, ...options }) => options),
  commonOpened('depth-of-open-ignored', ({ maxRollback: _, ...options }) => options),
  commonOpened('log-of-open-ignored', ({ maxFinalized: _, ...options }) => options),
];

/** X2 and E1, in what a pool by priority could keep apart from the rest. */
const recording: readonly Mutant[] = [
  common('blocks-are-not-recorded', (store) => {
    const unnamed = ({ operationId: _, ...options }: WriteOptions = {}): WriteOptions => options;
    return { confirm: (block, policy, options) => store.confirm(block, policy, unnamed(options)) };
  }),
  common('slot-zero-is-no-tip', (store) => ({
    async tip(options) {
      const tip = await store.tip(options);
      return { ...tip, point: tip.point?.slot ? tip.point : null };
    },
  })),
  common('tip-without-points', (store) => ({
    tip: async (options) => ({ ...(await store.tip(options)), points: [] }),
  })),
];

/** The rules of every pool, broken in pools by priority alone. */
export const priorityLifecycleMutants: readonly Mutant[] = [...fencing, ...paging, ...opening, ...recording];
