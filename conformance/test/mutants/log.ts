import type { LogEntry, LogPage, StoreDriver, Transaction } from 'mempool-core';
import { answered, handed, type Mutant, opened } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

function logging(
  id: string,
  alter: (page: LogPage, cursor: number, limit: number, pool: PlantedDriver) => LogPage,
): Mutant {
  return answered(id, (pool) => ({
    dumpFinalized: (cursor, limit) => alter(pool.dumpFinalized(cursor, limit), cursor, limit, pool),
  }));
}

function entries(id: string, alter: (entry: LogEntry, pool: PlantedDriver) => LogEntry): Mutant {
  return logging(id, (page, _, __, pool) => ({ ...page, entries: page.entries.map((entry) => alter(entry, pool)) }));
}

/** Reads the log with another cursor or limit. */
function dumping(id: string, dump: (pool: PlantedDriver, cursor: number, limit: number) => LogPage): Mutant {
  return answered(
    id,
    (pool): Partial<StoreDriver> => ({ dumpFinalized: (cursor, limit) => dump(pool, cursor, limit) }),
  );
}

/** O4 and O6 for the log. */
export const logMutants: readonly Mutant[] = [
  logging('cursor-of-an-empty-page-is-zero', (page) => (page.entries.length === 0 ? { ...page, cursor: 0 } : page)),
  logging('log-newest-first', (page) => ({ ...page, entries: page.entries.toReversed() })),
  entries('log-numbers-from-zero', (entry) => ({ ...entry, logSeq: entry.logSeq - 1 })),
  dumping('cursor-exclusive', (pool, cursor, limit) => pool.dumpFinalized(cursor === 0 ? 0 : cursor + 1, limit)),
  logging('cursor-is-the-last-entry', (page) => ({ ...page, cursor: Math.max(1, page.cursor - 1) })),
  logging('always-more', (page) => ({ ...page, hasMore: page.entries.length > 0 })),
  logging('never-more', (page) => ({ ...page, hasMore: false })),
  logging('full-page-means-more', (page, _, limit) => ({ ...page, hasMore: page.entries.length === limit })),
  logging('trimmed-not-told', (page) => ({ ...page, missed: 0 })),
  logging('one-missed-too-many', (page) => ({ ...page, missed: page.missed > 0 ? page.missed + 1 : 0 })),
  logging('missed-told-at-the-start', (page, cursor, _, pool) => {
    const [first] = pool.dumpFinalized(0, 1).entries;
    return cursor === 0 ? { ...page, missed: (first?.logSeq ?? 1) - 1 } : page;
  }),
  logging('oldest-counts-as-missed', (page, cursor) =>
    cursor > 0 && page.entries[0]?.logSeq === cursor && cursor > 1 ? { ...page, missed: 1 } : page,
  ),
  dumping('cursor-counts-from-the-oldest', (pool, cursor, limit) => {
    const [first] = pool.dumpFinalized(0, 1).entries;
    return pool.dumpFinalized(cursor === 0 ? 0 : cursor + (first?.logSeq ?? 1) - 1, limit);
  }),
  dumping('trimmed-cursor-gives-nothing', (pool, cursor, limit) => {
    const page = pool.dumpFinalized(cursor, limit);
    return page.missed > 0 ? { ...page, entries: [] } : page;
  }),
  opened('log-keeps-twice-as-much', ({ maxFinalized = 10_000, ...options }) => ({
    ...options,
    maxFinalized: maxFinalized * 2,
  })),
  opened('log-keeps-a-thousand', (options) => ({ maxFinalized: 1_000, ...options })),
  opened('log-keeps-three', (options) => ({ ...options, maxFinalized: 3 })),
  answered('log-trimmed-one-for-one', (pool) => ({
    drop: (hashes, reason, context) => {
      const { maxFinalized } = pool.retention;
      pool.retention = {
        ...pool.retention,
        maxFinalized: Math.max(maxFinalized, pool.usage().logged + hashes.length - 1),
      };
      const dropped = pool.drop(hashes, reason, context);
      pool.retention = { ...pool.retention, maxFinalized };
      return dropped;
    },
  })),
  entries('entry-without-its-block', (entry) => ({ ...entry, point: null })),
  entries('entry-without-its-type', (entry) => ({ ...entry, payloadType: 0 })),
  entries('entry-without-its-age', (entry) => ({ ...entry, nonConfirmations: 0 })),
  entries('entry-without-its-depth', (entry) => ({ ...entry, confirmations: 1 })),
  entries('entry-with-the-latest-reason', (entry, pool) => ({
    ...entry,
    reason: pool.life(entry.hash)?.reason ?? null,
  })),
  entries('entry-with-the-latest-seq', (entry, pool) => ({ ...entry, seq: pool.life(entry.hash)?.seq ?? entry.seq })),
  logging('old-entries-without-payload', (page, _, __, pool) => {
    const { entries: all } = pool.dumpFinalized(0, 1_000);
    const latest = new Map(all.map(({ hash, logSeq }) => [hash, logSeq]));
    return {
      ...page,
      entries: page.entries.map((entry) =>
        latest.get(entry.hash) === entry.logSeq ? entry : { ...entry, payload: new Uint8Array(0) },
      ),
    };
  }),
  answered('entries-keep-their-own-payload', (pool) => {
    const own = new Map<number, Transaction>();
    return {
      receive: (transactions, context) => {
        const outcomes = pool.receive(transactions, context);
        for (const [i, outcome] of outcomes.entries())
          if (outcome.kind === 'received') own.set(outcome.seq, transactions[i] as Transaction);
        return outcomes;
      },
      dumpFinalized: (cursor, limit) => {
        const page = pool.dumpFinalized(cursor, limit);
        return { ...page, entries: page.entries.map((entry) => ({ ...entry, ...own.get(entry.seq) })) };
      },
    };
  }),
  logging('last-entries-without-payload', (page, _, __, pool) => {
    const trimmed = pool.usage().lastLogSeq > pool.usage().logged;
    return trimmed
      ? { ...page, entries: page.entries.map((entry) => ({ ...entry, payload: new Uint8Array(0) })) }
      : page;
  }),
  dumping('log-limit-of-zero-is-endless', (pool, cursor, limit) => {
    const page = pool.dumpFinalized(cursor, limit);
    return limit === 1 ? { ...page, entries: [], cursor: Math.max(1, cursor) } : page;
  }),
  dumping('log-five-hundred-at-most', (pool, cursor, limit) => pool.dumpFinalized(cursor, Math.min(500, limit))),
  dumping('log-pages-without-a-size', (pool, cursor, limit) => {
    const first = pool.dumpFinalized(cursor, limit);
    if (first.entries.length !== 8) return first;
    const second = pool.dumpFinalized(first.cursor, limit);
    return { ...second, entries: [...first.entries, ...second.entries] };
  }),
  handed('log-without-limit-gives-ten', (store) => ({
    dumpFinalized: (query = {}) => store.dumpFinalized({ limit: 10, ...query }),
  })),
  handed('log-of-none-for-zero', (store) => ({
    dumpFinalized: async (query = {}) => {
      const page = await store.dumpFinalized(query);
      return query.limit === 0 ? { ...page, entries: [], cursor: 1 } : page;
    },
  })),
];
