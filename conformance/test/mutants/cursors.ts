import type { LaggedEvent, MempoolEvent } from 'mempool-core';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import { changing } from './events.ts';
import type { Mutant } from './mutant.ts';
import { arrivals, stores } from './store-operators.ts';

type Reader = Pick<TestedPool, 'tip'>;

/** The cursor as if it belonged to this pool. */
async function claimed(store: Reader, cursor: string | undefined): Promise<string | undefined> {
  if (cursor === undefined || cursor === 'origin') return cursor;
  return `${cursor.slice(0, cursor.indexOf('.'))}.${(await store.tip()).epoch}`;
}

/** Each delivered event changed. */
function delivering(id: string, change: (event: MempoolEvent, after: string | undefined) => object | false): Mutant {
  return stores.around(id, {
    subscribe: async ({ store, given: [options] }) => {
      const changed = (event: MempoolEvent) => ({ ...event, ...(change(event, options?.after) || {}) });
      return changing(await store.subscribe(options), (event) => [changed(event)]);
    },
  });
}

const isLag = (event: MempoolEvent): event is LaggedEvent => event.kind === 'lagged';

/** O7. */
export const cursorMutants: readonly Mutant[] = [
  stores.around('log-cursors-of-any-pool', {
    dumpFinalized: async ({ store, given: [query] }) =>
      store.dumpFinalized({ ...query, cursor: await claimed(store, query?.cursor) }),
  }),
  arrivals.around('gossip-cursors-of-any-pool', {
    since: async ({ store, given: [query] }) => store.since({ ...query, after: await claimed(store, query?.after) }),
  }),
  delivering('new-pool-not-told', (event) => isLag(event) && { restarted: false }),
  delivering('every-loss-is-a-new-pool', (event) => isLag(event) && { restarted: true }),
  delivering('cursor-of-a-loss-is-the-old-one', (event, after) => isLag(event) && { cursor: after }),
  stores.around('origin-is-behind-the-first', {
    peekPending: async ({ store, given: [query] }) => {
      const { next } = await store.peekPending({ limit: 1 });
      return store.peekPending({ ...query, after: query?.after === 'origin' ? next : query?.after });
    },
  }),
];
