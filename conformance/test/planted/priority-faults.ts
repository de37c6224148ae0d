import type { MempoolStore, OpenOptions, Ordering, ReceiveOutcome } from 'mempool-core';
import { type Fault, moment, type OrderKey } from './fault.ts';

const orderings = new Map<string, Ordering>();
/** How many nodes each pool has had in this process. */
const opened = new Map<string, number>();

/** Whatever the order is that a later open asks for, it gets the one that the pool was made with. */
function orderingOfTheFirst(options: OpenOptions, { path }: OrderKey): OpenOptions {
  const ordering = orderings.get(path) ?? options.ordering ?? 'fifo';
  orderings.set(path, ordering);
  return { ...options, ordering };
}

type Receive = MempoolStore['receive'];

/** Looks, waits, and writes by what it saw: the fault of a pool whose rules are not asked in the step that writes. */
function seenEarly(
  store: MempoolStore,
  judge: (...given: Parameters<Receive>) => Promise<Parameters<Receive>>,
): Partial<MempoolStore> {
  return {
    async receive(batch, options) {
      const judged = await judge(batch, options);
      await moment();
      return store.receive(...judged);
    },
  };
}

/** The leases that a node gave are ended by that node alone. */
function ownLeases(store: MempoolStore): Partial<MempoolStore> {
  const own = new Set<string>();
  return {
    async take(budget, options) {
      const before = await store.reap();
      const lot = await store.take(budget, options);
      const taken = new Set(lot.transactions.map(({ hash }) => hash));
      for (const { hash } of before) if (taken.has(hash)) own.add(hash);
      return lot;
    },
    async sweep(options) {
      const swept = await store.sweep(options);
      const foreign = swept.returned.filter((hash) => !own.has(hash));
      await store.markInflight(foreign);
      return { ...swept, returned: swept.returned.filter((hash) => own.has(hash)) };
    },
  };
}

/** Keys and cursors that mean something on this node alone. */
function ownCursors(store: MempoolStore, { path }: OrderKey): Partial<MempoolStore> {
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
    async since(gossipSeq, query) {
      const page = await store.since(Math.max(0, gossipSeq - offset), query);
      return { ...page, next: page.next + offset };
    },
  };
}

async function withVersions(
  store: MempoolStore,
  revisions: Parameters<MempoolStore['revise']>[0],
): Promise<typeof revisions> {
  const { entries } = await store.dump();
  const versions = new Map(entries.map(({ hash, version }) => [hash, version]));
  return revisions.map((one) => ({ ...one, version: versions.get(one.hash) ?? one.version }));
}

/** Faults in pools by priority that a second open shows. */
export const priorityFaults: readonly Fault[] = [
  {
    id: 'ordering-of-the-first-open',
    kills: ['P15/for-good-priority', 'P15/for-good-fifo', 'P16/one-ordering'],
    options: orderingOfTheFirst,
  },
  { id: 'satisfied-tags-in-memory', kills: ['P15/reopened'], sabotage: 'DELETE FROM satisfied' },
  {
    id: 'gossip-numbers-of-this-open',
    kills: ['P15/reopened'],
    sabotage: 'UPDATE priority_pool SET gossip_seq = 0',
  },
  {
    id: 'outcomes-in-memory',
    kills: ['P15/repeated-take', 'P15/repeated-calls', 'P15/repeated-after-a-kill'],
    sabotage: 'DELETE FROM operation',
  },
  { id: 'limits-in-memory', kills: ['P15/limits', 'P15/reopened'], sabotage: "UPDATE priority_pool SET limits = '{}'" },
  {
    id: 'leases-of-this-node-alone',
    kills: ['P16/lease-of-another', 'P15/goes-on'],
    plant: ownLeases,
  },
  {
    id: 'cursors-of-this-node-alone',
    kills: ['P16/gossip-elsewhere', 'P16/pages-elsewhere'],
    plant: ownCursors,
  },
  {
    id: 'takes-what-it-saw-before',
    kills: ['P16/taken-once'],
    plant: (store) => ({
      async take(budget, options) {
        const transactions = await store.reap(budget);
        await moment();
        const lot = await store.take({ ...budget, maxTxs: 0 }, options);
        await store.markInflight(transactions.map(({ hash }) => hash));
        return { ...lot, transactions };
      },
    }),
  },
  {
    id: 'room-it-saw-before',
    kills: ['P16/racing-for-room'],
    plant: (store) => ({
      async receive(batch, options): Promise<ReceiveOutcome[]> {
        const { load } = await store.usage();
        await moment();
        if ((load?.headroom.transactions ?? 0) < 1) return store.receive(batch, options);
        const { maxTxs } = await store.setLimits({});
        await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
        const outcomes = await store.receive(batch, options);
        await store.setLimits({ maxTxs });
        return outcomes;
      },
    }),
  },
  {
    id: 'rivals-it-saw-before',
    kills: ['P16/racing-replacements'],
    plant: (store) =>
      seenEarly(store, async (batch, options) => {
        const { providers } = await store.dump();
        const known = new Set(providers.map(([tag]) => tag));
        const judged = batch.map(({ verdict, ...one }) => {
          const provides = verdict?.provides?.filter((tag) => known.has(tag));
          return { ...one, verdict: { ...verdict, provides } };
        });
        return [judged, options];
      }),
  },
  {
    id: 'senders-it-saw-before',
    kills: ['P16/racing-sender'],
    plant: (store) =>
      seenEarly(store, async (batch, options) => {
        const senders = new Map((await store.dump()).senders);
        const judged = batch.map(({ verdict, ...one }) => {
          const isFirst = !senders.has(verdict?.sender ?? '');
          return { ...one, verdict: { ...verdict, senderLimit: isFirst ? undefined : verdict?.senderLimit } };
        });
        return [judged, options];
      }),
  },
  {
    id: 'parents-it-saw-before',
    kills: ['P16/racing-chain'],
    plant: (store) =>
      seenEarly(store, async (batch, options) => {
        const known = new Set((await store.dump()).providers.map(([tag]) => tag));
        const judged = batch.map(({ verdict, ...one }) => {
          const requires = verdict?.requires?.map((tag) => (known.has(tag) ? tag : `${tag} not there`));
          return { ...one, verdict: { ...verdict, requires } };
        });
        return [judged, options];
      }),
  },
  {
    id: 'limits-of-the-node-alone',
    kills: ['P16/limits'],
    plant(store) {
      let own: Parameters<MempoolStore['setLimits']>[0] | null = null;
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
    },
  },
  {
    id: 'newest-version-for-any',
    kills: ['P16/stale-verdict'],
    plant: (store) => ({
      revise: async (revisions, options) => store.revise(await withVersions(store, revisions), options),
    }),
  },
];
