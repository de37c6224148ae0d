import type { AnyStore, Sweep } from 'mempool-core';
import {
  fencedAtTheDoor,
  fencedLate,
  guardedPriority,
  type Leading,
  leaderOf,
  leading,
  renewing,
  unrenewing,
} from './fencing.ts';
import { electing } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';
import { arrivals, pools, priorities, stores } from './store-operators.ts';

type Verb = 'receive' | 'best' | 'stale' | 'revise' | 'since' | 'confirm' | 'setLimits' | 'drop';

/** Does what it can of a call that it ought to refuse. */
function pretending<V extends Verb>(
  id: string,
  verb: V,
  instead: (store: AnyStore, given: Parameters<AnyStore[V]>) => unknown,
): Mutant {
  return pools.caught(id, [verb], 'ERR_MEMPOOL_UNSUPPORTED', (_, { store, given }) => instead(store, given as never));
}

const without = ({ verdict: _, from: __, ...one }: Parameters<AnyStore['receive']>[0][number]) => one;

/** A batch received with more or less room than there is. */
function withRoom(
  id: string,
  change: (maxTxs: number, store: AnyStore, batch: readonly { readonly hash: string }[]) => Promise<number>,
): Mutant {
  return arrivals.around(id, {
    receive: async ({ store, given }) => {
      const { maxTxs } = await store.setLimits({});
      await store.setLimits({ maxTxs: Math.max(0, await change(maxTxs, store, given[0])) });
      const outcomes = await store.receive(...given);
      await store.setLimits({ maxTxs });
      return outcomes;
    },
  });
}

const statusOf = (store: AnyStore, batch: readonly { readonly hash: string }[]) =>
  store.checkStatus(batch.map(({ hash }) => hash));

/** P18. */
export const arrivalMutants: readonly Mutant[] = [
  pretending('arrivals-lose-their-verdicts', 'receive', (store, [batch, options]) =>
    store.receive(batch.map(without), options),
  ),
  arrivals.givenEach('verdicts-are-never-for-arrivals', {
    receive: ({ verdict }) => ({ verdict: verdict && { priority: 1n } }),
  }),
  pretending('best-of-arrivals-is-nothing', 'best', () => []),
  pretending('arrivals-are-never-stale', 'stale', () => []),
  pretending('verdicts-on-arrivals-are-skipped', 'revise', (_, [revisions]) =>
    revisions.map(({ hash }) => ({ kind: 'skipped', hash })),
  ),
  pretending('arrivals-gossiped-to-all', 'since', (store, [query]) => store.since({ ...query, except: undefined })),
  pretending('tags-of-blocks-lost-on-arrivals', 'confirm', (store, [{ provides: _, ...block }, ...rest]) =>
    store.confirm(block, ...rest),
  ),
  pretending('other-limits-of-arrivals-ignored', 'setLimits', (store, [{ maxTxs }, options]) =>
    store.setLimits(maxTxs === undefined ? {} : { maxTxs }, options),
  ),
  pretending('descendants-of-arrivals-ignored', 'drop', (store, [hashes, reason, options]) =>
    store.drop(hashes, reason, { ...options, descendants: undefined }),
  ),
  pools.opened('limits-of-an-open-by-arrival-ignored', (options) => {
    const kept = ['ordering', 'maxTxs', 'maxTxBytes', 'pool', 'now'];
    if (options.ordering === 'priority') return options;
    return Object.fromEntries(Object.entries(options).filter(([name]) => kept.includes(name)));
  }),
  arrivals.told('reaps-the-newest-first', { reap: (reaped) => reaped.toReversed() }),
  arrivals.around('takes-the-newest', {
    take: async ({ store, given: [{ maxTxs, ...budget }, options] }) => {
      const lot = await store.take(budget, options);
      const kept = Math.max(0, lot.transactions.length - (maxTxs ?? lot.transactions.length));
      await store.release(lot.transactions.slice(0, kept).map(({ hash }) => hash));
      return { ...lot, transactions: lot.transactions.slice(kept) };
    },
  }),
  arrivals.unheard('takes-more-when-repeated', 'take', 'operationId'),
  arrivals.around('arrivals-are-parked', { peekParked: ({ store, given }) => store.peekPending(...given) }),
  withRoom('confirmed-arrivals-take-room', async (maxTxs, store) => maxTxs - (await store.usage()).confirmed),
  withRoom('acknowledged-arrivals-take-no-room', async (maxTxs, store) => maxTxs + (await store.usage()).acknowledged),
  withRoom('dropped-arrivals-need-no-room', async (maxTxs, store, batch) => {
    const again = (await statusOf(store, batch)).filter(({ stage }) => stage === 'Dropped');
    return maxTxs + again.length;
  }),
  stores.opened('limit-at-open-taken-and-forgotten', ({ maxTxs: _, ...options }) => options),
  stores.around('limit-set-and-forgotten', {
    setLimits: ({ store, given: [, options] }) => store.setLimits({}, options),
  }),
  arrivals.told('arrivals-push-out-the-oldest', {
    receive: async ([first], { store, given }) => {
      const [oldest] = (await store.peekPending({ limit: 1 })).transactions;
      if (first?.kind !== 'full' || oldest === undefined) return null;
      await store.drop([oldest.hash], 'evicted');
      return store.receive(...given);
    },
  }),
];

type Ending = 'markAcknowledged' | 'release' | 'drop' | 'seen' | 'unseen';

/** Leases kept beside the store, which all but one of the verbs end. */
function outliving(id: string, forgotten: Ending): Mutant {
  return arrivals.plant(id, (store, { options: { now = Date.now } }) => {
    const ends = new Map<string, number>();
    const end = (verb: Ending | 'sweep', hashes: readonly string[]): void => {
      if (verb !== forgotten) for (const hash of hashes) ends.delete(hash);
    };
    const ending =
      <Rest extends readonly unknown[], Told>(verb: Ending, call: (hashes: readonly string[], ...rest: Rest) => Told) =>
      (hashes: readonly string[], ...rest: Rest): Told => {
        end(verb, hashes);
        return call(hashes, ...rest);
      };
    return {
      take: (async (...given: Parameters<typeof store.take>) => {
        const lot = await store.take(...given);
        for (const { hash } of lot.transactions) ends.set(hash, lot.untilMs);
        return lot;
      }) as typeof store.take,
      markAcknowledged: ending('markAcknowledged', store.markAcknowledged.bind(store)),
      release: ending('release', store.release.bind(store)),
      drop: ending('drop', store.drop.bind(store)),
      confirm(block, ...rest) {
        end('seen', block.seen);
        end('unseen', block.unseen ?? []);
        return store.confirm(block, ...rest);
      },
      async sweep(options) {
        const swept = await store.sweep(options);
        end('sweep', swept.returned);
        const late = [...ends].filter(([, untilMs]) => untilMs < now()).map(([hash]) => hash);
        return { ...swept, returned: [...swept.returned, ...(await store.release(late))] };
      },
    };
  });
}

/** A fault in what a sweep tells. */
function swept(id: string, change: (swept: Sweep) => Partial<Sweep>): Mutant {
  return arrivals.told(id, { sweep: (told) => change(told) });
}

/** P18: what is taken in order of arrival. */
export const arrivalLeaseMutants: readonly Mutant[] = [
  outliving('a-block-ends-no-lease-of-arrivals', 'seen'),
  arrivals.told('takes-of-arrivals-tell-another-owner', { take: () => ({ owner: 'somebody else' }) }),
  swept('a-thousand-arrivals-are-always-more', ({ returned }) => ({ more: returned.length === 1_000 })),
  swept('arrivals-swept-without-more', () => ({ more: false })),
  arrivals.unheard('flushes-of-arrivals-not-recorded', 'flush', 'operationId'),
  arrivals.unheard('limits-of-arrivals-not-recorded', 'setLimits', 'operationId'),
];

const ordering = 'priority';

/** X6: the verbs that only a leader may use, in a changed way. */
const leads = (id: string, run: (at: Leading) => object | Promise<object>): Mutant =>
  leading(guardedPriority, `priority-${id}`, run);

/** O6: pages by seq that do not end at their size. */
function endless(verb: 'peekPending' | 'peekInflight'): Mutant {
  return priorities.every(`priority-${verb}-without-a-size`, [verb], async ({ store, given }) => {
    const { after, limit = 100 } = given[0] ?? {};
    const page = await store[verb]({ after, limit });
    const all = page.transactions;
    for (let next = page; next.transactions.length > 0 && all.length < limit; all.push(...next.transactions))
      next = await store[verb]({ after: next.next, limit: limit - all.length });
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
  priorities.unheard('priority-blocks-are-not-recorded', 'confirm', 'operationId'),
  priorities.told('priority-slot-zero-is-no-tip', {
    tip: ({ point, ...tip }) => ({ ...tip, point: point?.slot ? point : null }),
  }),
];
