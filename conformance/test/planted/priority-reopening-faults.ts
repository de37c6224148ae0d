import { type Fault, moment } from './fault.ts';

const ordering = 'priority';

/** What every pool has over a reopening, lost in pools by priority alone. */
export const priorityReopeningFaults: readonly Fault[] = [
  {
    id: 'priority-events-of-this-open',
    ordering,
    kills: ['E3/resume-after-reopening@priority', 'D1/reopened@priority'],
    hangs: ['E3/resume-after-reopening@priority', 'D1/reopened@priority'],
    async plant(store) {
      const { lastEventSeq } = await store.usage();
      return {
        subscribe: ({ after, ...more } = {}) => store.subscribe({ ...more, after: Math.max(after ?? 0, lastEventSeq) }),
      };
    },
  },
  {
    id: 'priority-sightings-in-memory',
    ordering,
    kills: ['D1/sightings@priority'],
    sabotage: 'DELETE FROM sighting',
  },
  {
    id: 'priority-points-in-memory',
    ordering,
    kills: ['X4/reopened@priority'],
    sabotage: 'DELETE FROM block WHERE tick < (SELECT max(tick) FROM block)',
  },
  {
    id: 'priority-retention-of-this-open',
    ordering,
    kills: ['D1/retention@priority', 'O4/latest-node-sets@priority'],
    options: (options) => ({ maxFinalized: 10_000, ...options }),
  },
  {
    id: 'priority-outcomes-in-memory',
    ordering,
    kills: ['D1/operation-ids@priority', 'X2/repeated-after-a-kill@priority'],
    sabotage: 'DELETE FROM operation',
  },
  {
    id: 'priority-log-in-memory',
    ordering,
    kills: ['D1/reopened@priority'],
    plant: async (store, { reopened }) => {
      const { lastLogSeq } = await store.usage();
      const from = reopened ? lastLogSeq + 1 : 0;
      return {
        dumpFinalized: ({ cursor = 0, ...query } = {}) =>
          store.dumpFinalized({ ...query, cursor: Math.max(cursor, from) }),
      };
    },
  },
  {
    id: 'priority-reads-what-it-wrote-alone',
    ordering,
    kills: ['N1/read-at-once@priority'],
    plant(store) {
      const own = new Set<string>();
      return {
        receive(transactions, options) {
          for (const { hash } of transactions) own.add(hash);
          return store.receive(transactions, options);
        },
        async checkStatus(hashes) {
          const statuses = await store.checkStatus(hashes);
          return statuses.map((status) => (own.has(status.hash) ? status : { ...status, stage: 'Unknown' }));
        },
      };
    },
  },
  {
    id: 'priority-receives-in-halves',
    ordering,
    kills: ['D1/killed-receiving@priority', 'D1/killed-again@priority'],
    plant: (store) => ({
      async receive(transactions, options) {
        const half = Math.ceil(transactions.length / 2);
        const first = await store.receive(transactions.slice(0, half));
        await moment();
        return [...first, ...(await store.receive(transactions.slice(half), options))];
      },
    }),
  },
];
