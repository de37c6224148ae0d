import type { AnyStore, OpenOptions, Ordering, Submission, Verdict } from 'mempool-core';
import { cursorOf, type PoolDump, poolState } from 'mempool-core/backend';
import { numberOf } from '../mutants/page-operators.ts';
import { type Fault, moment, planted, type StoreFile, sabotaged, stores } from './fault.ts';

const orderings = new Map<string, Ordering>();
/** How many nodes each pool has had in this process. */
const opened = new Map<string, number>();

/** Whatever the order is that a later open asks for, it gets the one that the pool was made with. */
function orderingOfTheFirst(options: OpenOptions, { path }: StoreFile): OpenOptions {
  const ordering = orderings.get(path) ?? options.ordering ?? 'fifo';
  orderings.set(path, ordering);
  return { ...options, ordering };
}

type Dump = PoolDump;

/** Looks, waits, and writes by what it saw: the fault of a pool whose rules are not asked in the step that writes. */
function seenEarly(
  id: string,
  judge: (verdict: Verdict, dump: Dump) => Partial<Record<keyof Verdict, unknown>>,
): Fault {
  return stores.given(id, {
    receive: async (batch, { store }) => {
      const dump = await poolState(store);
      const judged = batch.map(({ verdict = {}, ...one }) => ({
        ...one,
        verdict: { ...verdict, ...judge(verdict, dump) },
      }));
      await moment();
      return judged as Submission[];
    },
  });
}

const tagsOf = ({ providers }: Dump): Set<string> => new Set(providers.map(([tag]) => tag));

/** Faults in pools by priority that a second open shows. */
export const priorityFaults: readonly Fault[] = [
  planted('ordering-of-the-first-open', { options: orderingOfTheFirst }),
  sabotaged('satisfied-tags-in-memory', 'DELETE FROM satisfied'),
  sabotaged('gossip-numbers-of-this-open', 'UPDATE priority_pool SET gossip_seq = 0'),
  sabotaged('limits-in-memory', "UPDATE priority_pool SET limits = '{}'"),
  // The leases that a node gave are ended by that node alone.
  stores.around('leases-of-this-node-alone', {
    take: async ({ store, given, notes: { hashes } }) => {
      const before = await store.reap();
      const lot = await store.take(...given);
      const taken = new Set(lot.transactions.map(({ hash }) => hash));
      for (const { hash } of before) if (taken.has(hash)) hashes.add(hash);
      return lot;
    },
    sweep: async ({ store, given, notes: { hashes } }) => {
      const swept = await store.sweep(...given);
      await store.markInflight(swept.returned.filter((hash) => !hashes.has(hash)));
      return { ...swept, returned: swept.returned.filter((hash) => hashes.has(hash)) };
    },
  }),
  // Keys and cursors that mean something on this node alone.
  stores.plant('cursors-of-this-node-alone', (store, { path }) => {
    const node = (opened.get(path) ?? 0) + 1;
    opened.set(path, node);
    const offset = node * 1_000;
    const keys = new Map<string, string>();
    return {
      async best({ after, ...query } = {}) {
        const known = after === undefined ? undefined : keys.get(after);
        const page = await store.best(known === undefined ? query : { ...query, after: known });
        for (const { key } of page) keys.set(key, key);
        return page;
      },
      async since({ after, ...query } = {}) {
        const { epoch } = await store.tip();
        const moved = (cursor: string, by: number): string =>
          cursorOf('gossip', Math.max(0, numberOf('gossip', cursor) + by), epoch);
        const page = await store.since({ ...query, after: after && moved(after, -offset) });
        return { ...page, next: moved(page.next, offset) };
      },
    };
  }),
  stores.around('takes-what-it-saw-before', {
    take: async ({ store, given: [budget, options] }) => {
      const transactions = await store.reap(budget);
      await moment();
      const lot = await store.take({ ...budget, maxTxs: 0 }, options);
      await store.markInflight(transactions.map(({ hash }) => hash));
      return { ...lot, transactions };
    },
  }),
  stores.around('room-it-saw-before', {
    receive: async ({ store, given }) => {
      const { load } = await store.usage();
      await moment();
      if ((load?.headroom.transactions ?? 0) < 1) return store.receive(...given);
      const { maxTxs } = await store.setLimits({});
      await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
      const outcomes = await store.receive(...given);
      await store.setLimits({ maxTxs });
      return outcomes;
    },
  }),
  seenEarly('rivals-it-saw-before', ({ provides }, dump) => ({
    provides: provides?.filter((tag) => tagsOf(dump).has(tag)),
  })),
  seenEarly('senders-it-saw-before', ({ sender = '', senderLimit }, { senders }) => ({
    senderLimit: new Map(senders).has(sender) ? senderLimit : undefined,
  })),
  seenEarly('parents-it-saw-before', ({ requires }, dump) => ({
    requires: requires?.map((tag) => (tagsOf(dump).has(tag) ? tag : `${tag} not there`)),
  })),
  stores.plant('limits-of-the-node-alone', (store) => {
    let own: Parameters<AnyStore['setLimits']>[0] | null = null;
    return {
      async setLimits(limits, options) {
        own = await store.setLimits(limits, options);
        return { ...(await store.setLimits({})) };
      },
      async receive(batch, options) {
        own ??= await store.setLimits({});
        await store.setLimits(own);
        return store.receive(batch, options);
      },
    };
  }),
  stores.given('newest-version-for-any', {
    revise: async (revisions, { store }) => {
      const versions = new Map((await poolState(store)).entries.map(({ hash, version }) => [hash, version]));
      return revisions.map((one) => ({ ...one, version: versions.get(one.hash) ?? one.version }));
    },
  }),
];
