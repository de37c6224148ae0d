import type { LogEntry } from 'mempool-core';
import type { DriverLogPage } from 'mempool-core/backend';
import { unknownStatus } from '../../src/scenario/pool.ts';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { pools, stores } from './store-operators.ts';

/** The status of a hash by one of its log entries. */
function byEntry(id: string, pick: (entries: LogEntry[]) => LogEntry | undefined): Mutant {
  return fifo.each(id, {
    checkStatus: ({ hash }, { pool }) => {
      const entry = pick(pool.logged(hash));
      return entry && { stage: entry.stage, reason: entry.reason };
    },
  });
}

/** O3 and O5. */
export const statusMutants: readonly Mutant[] = [
  fifo.told('status-without-repeats', {
    checkStatus: (told) => [...new Map(told.map((status) => [status.hash, status])).values()],
  }),
  byEntry('entry-counts-before-the-live-one', (entries) => entries.at(-1)),
  stores.plant('empty-where-it-failed', (store) => ({
    hasPending: (options) => store.hasPending(options).catch(() => false),
    peekPending: (query) => store.peekPending(query).catch(() => ({ transactions: [], damaged: [], next: 'origin' })),
    status: (hashes, options) => store.status(hashes, options).catch(() => hashes.map(unknownStatus)),
    usage: (options) => store.usage(options).catch(() => ({}) as never),
  })),
];

type Query = readonly [cursor: number, limit: number, pool: PlantedDriver];

function pages(
  id: string,
  change: (page: DriverLogPage, ...query: Query) => object | false | null | undefined,
): Mutant {
  return fifo.told(id, {
    dumpFinalized: (page, { pool, given: [cursor, limit] }) => change(page, cursor, limit, pool),
  });
}

/** O4 and O6 for the log. */
export const logMutants: readonly Mutant[] = [
  pages('never-more', () => ({ hasMore: false })),
  stores.opened('log-keeps-a-thousand', (options) => ({ maxFinalized: 1_000, ...options })),
  stores.around('log-without-limit-gives-ten', {
    dumpFinalized: ({ store, given: [query] }) => store.dumpFinalized({ limit: 10, ...query }),
  }),
];

/** O9. */
export const confirmedMutants: readonly Mutant[] = [
  pools.around('confirmed-from-the-log', {
    confirmed: async ({ store, call }) => {
      const { entries } = await store.dumpFinalized({ limit: 1_000 });
      const ended = entries.filter(({ stage }) => stage === 'Finalized');
      const { transactions, ...rest } = await call();
      return { ...rest, transactions: [...ended, ...transactions.filter(({ stage }) => stage === 'Confirmed')] };
    },
  }),
  pools.told('confirmed-by-seq', {
    confirmed: ({ transactions }) => ({ transactions: transactions.toSorted((a, b) => a.seq - b.seq) }),
  }),
  pools.told('confirmed-is-always-complete', { confirmed: () => ({ complete: true }) }),
];

const day = 86_400_000;

type Peek = 'peekPending' | 'peekInflight';

/** What a list reads is gone a day after the last such call. */
function expiring(id: string, verb: 'receive' | 'markInflight', peek: Peek): Mutant {
  return fifo.plant(id, (whole, { options: { clock } }) => {
    let last = clock();
    const call = whole[verb] as (...given: unknown[]) => never;
    return {
      [verb]: (...given: unknown[]) => {
        last = clock();
        return call(...given);
      },
      [peek]: (after: number, limit: number) => {
        const page = whole[peek](after, limit);
        return clock() - last > day ? { ...page, transactions: [] } : page;
      },
    };
  });
}

function hasPending(id: string, isPending: boolean): Mutant {
  return stores.around(id, { hasPending: ({ store }) => store.usage().then(() => isPending) });
}

/** O1 and O2. */
export const pageMutants: readonly Mutant[] = [
  fifo.around('peekInflight-starts-at-after', {
    peekInflight: ({ pool, given: [after, limit] }) => pool.peekInflight(Math.max(0, after - 1), limit),
  }),
  fifo.around('peekPending-skips-one-behind-a-page', {
    peekPending: ({ pool, given: [after, limit] }) => pool.peekPending(after === 0 ? 0 : after + 1, limit),
  }),
  stores.around('pages-of-five-hundred', {
    peekPending: ({ store, given: [query = {}] }) =>
      store.peekPending({ ...query, ...(query.limit !== undefined && { limit: Math.min(500, query.limit) }) }),
  }),
  hasPending('always-something-waiting', true),
  expiring('flying-a-day-is-enough', 'markInflight', 'peekInflight'),
];
