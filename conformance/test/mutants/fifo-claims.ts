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
  pools.opened('priority-unless-told-otherwise', (options) => ({ ordering: 'priority', ...options })),
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
  arrivals.around('leases-of-arrivals-never-end', {
    sweep: async ({ store }) => ({ returned: [], woken: [], expired: [], evicted: [], more: false, of: store.name }),
  }),
  arrivals.told('gossips-what-waits-alone', {
    since: async ({ items }, { store }) => {
      const stages = await statusOf(store, items);
      return { items: items.filter((_, i) => stages[i]?.stage === 'Pending') };
    },
  }),
  arrivals.told('payloads-of-arrivals-by-seq', {
    payloads: (found) => found.toSorted((a, b) => Number(a === null) - Number(b === null)),
  }),
  arrivals.around('arrivals-are-parked', { peekParked: ({ store, given }) => store.peekPending(...given) }),
  arrivals.around('flushes-arrivals-in-flight', {
    flush: async ({ store, given }) => {
      const flying = (await store.peekInflight()).transactions.map(({ hash }) => hash);
      const dropped = await store.drop(flying, 'flushed');
      return (await store.flush(...given)) + dropped.length;
    },
  }),
  arrivals.instead('seen-arrivals-need-room', {
    receive: async ({ store, given: [batch] }) => {
      const { maxTxs } = await store.setLimits({});
      const { pending, propagated, acknowledged } = await store.usage();
      const isFull = pending + propagated + acknowledged >= maxTxs;
      const isNew = (await statusOf(store, batch)).every(({ stage }) => stage === 'Unknown');
      return isFull && isNew && batch.map(({ hash }) => ({ kind: 'full', hash }));
    },
  }),
  arrivals.told('known-arrivals-need-room', {
    receive: (told) => {
      const at = told.findIndex(({ kind }) => kind === 'full');
      return told.map((one, i) => (at >= 0 && i > at ? { kind: 'full', hash: one.hash } : one));
    },
  }),
  withRoom('confirmed-arrivals-take-room', async (maxTxs, store) => maxTxs - (await store.usage()).confirmed),
  pools.around('empty-takes-not-recorded', {
    take: async ({ store, given: [budget, { operationId, ...options }] }) => {
      if (await store.hasPending()) return store.take(budget, { ...options, operationId });
      return { ...(await store.take(budget, options)), claimId: operationId ?? '' };
    },
  }),
  arrivals.around('arrivals-reaped-without-each-overhead', {
    reap: async ({ store, given: [budget = {}, options] }) => {
      const { maxBytes = Number.POSITIVE_INFINITY, overheadBytes = 0, skip } = budget;
      if (skip !== undefined || overheadBytes === 0) return store.reap(budget, options);
      return store.reap({ ...budget, maxBytes: maxBytes - overheadBytes, overheadBytes: 0 }, options);
    },
  }),
  arrivals.told('payloads-of-confirmed-arrivals-are-null', {
    payloads: async (bodies, { store, given: [hashes] }) => {
      const known = await store.checkStatus(hashes);
      return bodies.map((one, i) => (known[i]?.stage === 'Confirmed' ? null : one));
    },
  }),
  withRoom('acknowledged-arrivals-take-no-room', async (maxTxs, store) => maxTxs + (await store.usage()).acknowledged),
  withRoom('dropped-arrivals-need-no-room', async (maxTxs, store, batch) => {
    const again = (await statusOf(store, batch)).filter(({ stage }) => stage === 'Dropped');
    return maxTxs + again.length;
  }),
  arrivals.told('arrivals-limited-by-default', { setLimits: ({ maxTxs }) => ({ maxTxs: Math.min(maxTxs, 100_000) }) }),
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
  arrivals.told('limit-of-arrivals-sweeps', {
    setLimits: async ({ maxTxs }, { store }) => {
      const over = (await store.usage()).pending - maxTxs;
      const first = over > 0 ? (await store.peekPending({ limit: over })).transactions : [];
      const hashes = first.map(({ hash }) => hash);
      await store.drop(hashes, 'evicted');
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
  outliving('acknowledging-ends-no-lease-of-arrivals', 'markAcknowledged'),
  outliving('releasing-ends-no-lease-of-arrivals', 'release'),
  outliving('dropping-ends-no-lease-of-arrivals', 'drop'),
  outliving('a-block-ends-no-lease-of-arrivals', 'seen'),
  outliving('a-taking-back-ends-no-lease-of-arrivals', 'unseen'),
  arrivals.around('leases-of-arrivals-end-by-seq', {
    sweep: async ({ store, given }) => {
      const seqs = new Map(
        (await store.peekInflight({ limit: 1_000 })).transactions.map(({ hash, seq }) => [hash, seq]),
      );
      const told = await store.sweep(...given);
      return { ...told, returned: told.returned.toSorted((a, b) => (seqs.get(a) ?? 0) - (seqs.get(b) ?? 0)) };
    },
  }),
  swept('last-ended-leases-of-arrivals-first', ({ returned }) => ({ returned: returned.toReversed() })),
  swept('a-thousand-arrivals-are-always-more', ({ returned }) => ({ more: returned.length === 1_000 })),
  swept('arrivals-swept-without-more', () => ({ more: false })),
  // A verb that keeps no record of its operation id.
  arrivals.unheard('sweeps-of-arrivals-not-recorded', 'sweep', 'operationId'),
  arrivals.unheard('flushes-of-arrivals-not-recorded', 'flush', 'operationId'),
  arrivals.unheard('limits-of-arrivals-not-recorded', 'setLimits', 'operationId'),
];

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
  ignored('thresholds-of-open-ignored', 'finalizeThreshold', 'dropThreshold'),
  ignored('depth-of-open-ignored', 'maxRollback'),
  ignored('log-of-open-ignored', 'maxFinalized'),
  priorities.unheard('priority-blocks-are-not-recorded', 'confirm', 'operationId'),
  priorities.told('priority-slot-zero-is-no-tip', {
    tip: ({ point, ...tip }) => ({ ...tip, point: point?.slot ? point : null }),
  }),
  priorities.told('priority-tip-without-points', { tip: () => ({ points: [] }) }),
];
