import type { OpenOptions, Ordering, Submission, Verdict } from 'mempool-core';
import { type PoolDump, poolState } from 'mempool-core/backend';
import { type Fault, moment, planted, type StoreFile, sabotaged, stores } from './fault.ts';

const orderings = new Map<string, Ordering>();

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
  sabotaged('limits-in-memory', "UPDATE priority_pool SET limits = '{}'"),
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
];
