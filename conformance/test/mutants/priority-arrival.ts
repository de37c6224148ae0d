import { isMempoolError, type MempoolStore, type OpenOptions } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { rankedOpened, rankedStore } from './priority-pool.ts';
import { stores } from './stores.ts';

type Verb = 'receive' | 'best' | 'stale' | 'revise' | 'dump' | 'since' | 'confirm' | 'setLimits';

/** Does what it can of a call that it ought to refuse. */
function pretending<V extends Verb>(
  id: string,
  verb: V,
  instead: (store: MempoolStore, given: Parameters<MempoolStore[V]>) => Promise<unknown>,
): Mutant {
  return rankedStore(id, (store) => {
    const call = store[verb].bind(store) as (...given: unknown[]) => Promise<unknown>;
    return {
      [verb]: (...given: unknown[]) =>
        call(...given).catch((error: unknown) => {
          if (!isMempoolError(error, 'ERR_MEMPOOL_UNSUPPORTED')) throw error;
          return instead(store, given as Parameters<MempoolStore[V]>);
        }),
    } as Partial<MempoolStore>;
  });
}

/** A fault in a pool in order of arrival. */
export function arriving(
  id: string,
  plant: (store: MempoolStore, options: OpenOptions) => Partial<MempoolStore>,
): Mutant {
  return rankedStore(id, (store, options) => (store.ordering === 'fifo' ? plant(store, options) : {}));
}

const plain = (batch: Parameters<MempoolStore['receive']>[0]) =>
  batch.map(({ hash, payload, payloadType }) => ({ hash, payload, payloadType }));

/** P18. */
export const arrivalMutants: readonly Mutant[] = [
  pretending('arrivals-lose-their-verdicts', 'receive', (store, [batch, options]) =>
    store.receive(plain(batch), options),
  ),
  arriving('verdicts-are-never-for-arrivals', (store) => ({
    receive: (batch, options) =>
      store.receive(
        batch.map(({ verdict, ...one }) => (verdict ? { ...one, verdict: { priority: 1n } } : one)),
        options,
      ),
  })),
  pretending('best-of-arrivals-is-nothing', 'best', async () => []),
  pretending('arrivals-are-never-stale', 'stale', async () => []),
  pretending('verdicts-on-arrivals-are-skipped', 'revise', async (_, [revisions]) =>
    revisions.map(({ hash }) => ({ kind: 'skipped', hash })),
  ),
  pretending('dump-of-arrivals-is-their-usage', 'dump', (store) => store.usage()),
  pretending('arrivals-gossiped-to-all', 'since', (store, [after, query]) =>
    store.since(after, { ...query, except: undefined }),
  ),
  pretending('tags-of-blocks-lost-on-arrivals', 'confirm', (store, [{ provides: _, ...block }, ...rest]) =>
    store.confirm(block, ...rest),
  ),
  pretending('other-limits-of-arrivals-ignored', 'setLimits', (store, [{ maxTxs }, options]) =>
    store.setLimits(maxTxs === undefined ? {} : { maxTxs }, options),
  ),
  rankedOpened(
    'limits-of-an-open-by-arrival-ignored',
    ({ ordering = 'fifo', maxTxs, maxTxBytes, pool, now, ...options }) => ({
      ordering,
      ...(maxTxs === undefined ? {} : { maxTxs }),
      ...(maxTxBytes === undefined ? {} : { maxTxBytes }),
      ...(pool === undefined ? {} : { pool }),
      ...(now === undefined ? {} : { now }),
      ...(ordering === 'priority' ? options : {}),
    }),
  ),
  rankedOpened('priority-unless-told-otherwise', (options) => ({ ordering: 'priority', ...options })),
  arriving('reaps-the-newest-first', (store) => ({
    reap: async (budget, options) => (await store.reap(budget, options)).reverse(),
  })),
  arriving('takes-the-newest', (store) => ({
    take: async ({ maxTxs, ...budget }, options) => {
      const lot = await store.take(budget, options);
      const newest = lot.transactions.slice(-(maxTxs ?? lot.transactions.length));
      await store.release(
        lot.transactions.map(({ hash }) => hash).filter((hash) => !newest.some((one) => one.hash === hash)),
      );
      return { ...lot, transactions: newest };
    },
  })),
  arriving('takes-more-when-repeated', (store) => ({
    take: (budget, { operationId: _, ...options }) => store.take(budget, options),
  })),
  arriving('leases-of-arrivals-never-end', (store) => ({
    sweep: async () => ({ returned: [], expired: [], evicted: [], more: false, of: store.name }),
  })),
  arriving('gossips-what-waits-alone', (store) => ({
    since: async (after, query) => {
      const page = await store.since(after, query);
      const stages = await store.checkStatus(page.items.map(({ hash }) => hash));
      return { ...page, items: page.items.filter((_, i) => stages[i]?.stage === 'Pending') };
    },
  })),
  arriving('payloads-of-arrivals-by-seq', (store) => ({
    payloads: async (hashes, options) => {
      const found = await store.payloads(hashes, options);
      return found.toSorted((a, b) => Number(a === null) - Number(b === null));
    },
  })),
  arriving('arrivals-are-parked', (store) => ({ peekParked: (query) => store.peekPending(query) })),
  arriving('flushes-arrivals-in-flight', (store) => ({
    flush: async (options) => {
      const flying = (await store.peekInflight()).map(({ hash }) => hash);
      const dropped = await store.drop(flying, 'flushed');
      return (await store.flush(options)) + dropped.length;
    },
  })),
  arriving('seen-arrivals-need-room', (store) => ({
    receive: async (batch, options) => {
      const { maxTxs } = await store.setLimits({});
      const { pending, propagated, acknowledged } = await store.usage();
      const stages = await store.checkStatus(batch.map(({ hash }) => hash));
      const isFull = pending + propagated + acknowledged >= maxTxs;
      if (!isFull || stages.some(({ stage }) => stage !== 'Unknown')) return store.receive(batch, options);
      return batch.map(({ hash }) => ({ kind: 'full', hash }));
    },
  })),
  arriving('known-arrivals-need-room', (store) => ({
    receive: async (batch, options) => {
      const outcomes = await store.receive(batch, options);
      const at = outcomes.findIndex(({ kind }) => kind === 'full');
      return outcomes.map((one, i) => (at >= 0 && i > at ? { kind: 'full', hash: one.hash } : one));
    },
  })),
  arriving('confirmed-arrivals-take-room', (store) => ({
    receive: async (batch, options) => {
      const { maxTxs } = await store.setLimits({});
      const { confirmed } = await store.usage();
      await store.setLimits({ maxTxs: Math.max(0, maxTxs - confirmed) });
      const outcomes = await store.receive(batch, options);
      await store.setLimits({ maxTxs });
      return outcomes;
    },
  })),
  rankedStore('empty-takes-not-recorded', (store) => ({
    take: async (budget, options) => {
      if (await store.hasPending()) return store.take(budget, options);
      const { operationId, ...rest } = options;
      return { ...(await store.take(budget, rest)), leaseId: operationId ?? '' };
    },
  })),
  arriving('arrivals-reaped-without-each-overhead', (store) => ({
    reap: async (budget = {}, options) => {
      const { maxBytes = Number.POSITIVE_INFINITY, overheadBytes = 0, skip } = budget;
      if (skip !== undefined || overheadBytes === 0) return store.reap(budget, options);
      return store.reap({ ...budget, maxBytes: maxBytes - overheadBytes, overheadBytes: 0 }, options);
    },
  })),
  arriving('payloads-of-confirmed-arrivals-are-null', (store) => ({
    payloads: async (hashes, options) => {
      const known = await store.checkStatus(hashes);
      const payloads = await store.payloads(hashes, options);
      return payloads.map((one, i) => (known[i]?.stage === 'Confirmed' ? null : one));
    },
  })),
  arriving('acknowledged-arrivals-take-no-room', (store) => ({
    receive: async (batch, options) => {
      const { maxTxs } = await store.setLimits({});
      const { acknowledged } = await store.usage();
      await store.setLimits({ maxTxs: maxTxs + acknowledged });
      const outcomes = await store.receive(batch, options);
      await store.setLimits({ maxTxs });
      return outcomes;
    },
  })),
  arriving('dropped-arrivals-need-no-room', (store) => ({
    receive: async (batch, options) => {
      const { maxTxs } = await store.setLimits({});
      const known = await store.checkStatus(batch.map(({ hash }) => hash));
      const again = known.filter(({ stage }) => stage === 'Dropped');
      await store.setLimits({ maxTxs: maxTxs + again.length });
      const outcomes = await store.receive(batch, options);
      await store.setLimits({ maxTxs });
      return outcomes;
    },
  })),
  arriving('arrivals-limited-by-default', (store) => ({
    setLimits: async (limits, options) => {
      const set = await store.setLimits(limits, options);
      return { ...set, maxTxs: Math.min(set.maxTxs, 100_000) };
    },
  })),
  stores.opened('limit-at-open-taken-and-forgotten', ({ maxTxs: _, ...options }) => options),
  stores.around('limit-set-and-forgotten', {
    setLimits: ({ store, given: [, options] }) => store.setLimits({}, options),
  }),
  arriving('arrivals-push-out-the-oldest', (store) => ({
    receive: async (batch, options) => {
      const outcomes = await store.receive(batch, options);
      const [oldest] = await store.peekPending({ limit: 1 });
      if (outcomes[0]?.kind !== 'full' || oldest === undefined) return outcomes;
      await store.drop([oldest.hash], 'evicted');
      return store.receive(batch, options);
    },
  })),
  arriving('limit-of-arrivals-sweeps', (store) => ({
    setLimits: async (limits, options) => {
      const set = await store.setLimits(limits, options);
      const over = (await store.usage()).pending - set.maxTxs;
      if (over > 0)
        await store.drop(
          (await store.peekPending({ limit: over })).map(({ hash }) => hash),
          'evicted',
        );
      return set;
    },
  })),
];
