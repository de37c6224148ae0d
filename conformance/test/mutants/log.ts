import type { LogEntry, LogPage } from 'mempool-core';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './stores.ts';

type Query = readonly [cursor: number, limit: number, pool: PlantedDriver];

function pages(id: string, change: (page: LogPage, ...query: Query) => object | false | null | undefined): Mutant {
  return fifo.told(id, {
    dumpFinalized: (page, { pool, given: [cursor, limit] }) => change(page, cursor, limit, pool),
  });
}

function entries(id: string, change: (entry: LogEntry, pool: PlantedDriver) => object | false): Mutant {
  return fifo.each(id, { dumpFinalized: (entry, { pool }) => change(entry, pool) });
}

/** Reads the log from another cursor. */
function asked(id: string, change: (cursor: number, pool: PlantedDriver) => number): Mutant {
  return fifo.given(id, { dumpFinalized: (cursor, { pool }) => change(cursor, pool) });
}

const oldest = (pool: PlantedDriver): number => pool.dumpFinalized(0, 1).entries[0]?.logSeq ?? 1;
const nothing = { payload: new Uint8Array() };

/** O4 and O6 for the log. */
export const logMutants: readonly Mutant[] = [
  pages('cursor-of-an-empty-page-is-zero', ({ entries }) => entries.length === 0 && { cursor: 0 }),
  pages('log-newest-first', ({ entries }) => ({ entries: entries.toReversed() })),
  entries('log-numbers-from-zero', ({ logSeq }) => ({ logSeq: logSeq - 1 })),
  asked('cursor-exclusive', (cursor) => (cursor === 0 ? 0 : cursor + 1)),
  pages('cursor-is-the-last-entry', ({ cursor }) => ({ cursor: Math.max(1, cursor - 1) })),
  pages('always-more', ({ entries }) => ({ hasMore: entries.length > 0 })),
  pages('never-more', () => ({ hasMore: false })),
  pages('full-page-means-more', ({ entries }, _, limit) => ({ hasMore: entries.length === limit })),
  pages('trimmed-not-told', () => ({ missed: 0 })),
  pages('one-missed-too-many', ({ missed }) => missed > 0 && { missed: missed + 1 }),
  pages('missed-told-at-the-start', (_, cursor, __, pool) => cursor === 0 && { missed: oldest(pool) - 1 }),
  pages(
    'oldest-counts-as-missed',
    ({ entries }, cursor) => cursor > 1 && entries[0]?.logSeq === cursor && { missed: 1 },
  ),
  asked('cursor-counts-from-the-oldest', (cursor, pool) => (cursor === 0 ? 0 : cursor + oldest(pool) - 1)),
  pages('trimmed-cursor-gives-nothing', ({ missed }) => missed > 0 && { entries: [] }),
  stores.opened('log-keeps-twice-as-much', ({ maxFinalized = 10_000, ...options }) => ({
    ...options,
    maxFinalized: maxFinalized * 2,
  })),
  stores.opened('log-keeps-a-thousand', (options) => ({ maxFinalized: 1_000, ...options })),
  stores.opened('log-keeps-three', (options) => ({ ...options, maxFinalized: 3 })),
  fifo.around('log-trimmed-one-for-one', {
    drop: ({ pool, given }) => {
      const { retention } = pool;
      const maxFinalized = Math.max(retention.maxFinalized, pool.usage().logged + given[0].length - 1);
      pool.retention = { ...retention, maxFinalized };
      const dropped = pool.drop(...given);
      pool.retention = retention;
      return dropped;
    },
  }),
  entries('entry-without-its-block', () => ({ point: null })),
  entries('entry-without-its-type', () => ({ payloadType: 0 })),
  entries('entry-without-its-age', () => ({ nonConfirmations: 0 })),
  entries('entry-without-its-depth', () => ({ confirmations: 1 })),
  entries('entry-with-the-latest-reason', ({ hash }, pool) => ({ reason: pool.life(hash)?.reason ?? null })),
  entries('entry-with-the-latest-seq', ({ hash, seq }, pool) => ({ seq: pool.life(hash)?.seq ?? seq })),
  entries(
    'old-entries-without-payload',
    ({ hash, logSeq }, pool) => pool.logged(hash).at(-1)?.logSeq !== logSeq && nothing,
  ),
  fifo.each('entries-keep-their-own-payload', {
    receive: (one, { given: [all], notes }) => {
      const own = all.find(({ hash }) => hash === one.hash);
      if (one.kind === 'received' && own) notes.patches.set(`${one.seq}`, own);
    },
    dumpFinalized: ({ seq }, { notes }) => notes.patches.get(`${seq}`),
  }),
  entries('last-entries-without-payload', (_, pool) => pool.usage().lastLogSeq > pool.usage().logged && nothing),
  pages(
    'log-limit-of-zero-is-endless',
    (_, cursor, limit) => limit === 1 && { entries: [], cursor: Math.max(1, cursor) },
  ),
  fifo.around('log-five-hundred-at-most', {
    dumpFinalized: ({ pool, given: [cursor, limit] }) => pool.dumpFinalized(cursor, Math.min(500, limit)),
  }),
  pages('log-pages-without-a-size', (first, _, limit, pool) => {
    const second = pool.dumpFinalized(first.cursor, limit);
    return first.entries.length === 8 && { ...second, entries: [...first.entries, ...second.entries] };
  }),
  stores.around('log-without-limit-gives-ten', {
    dumpFinalized: ({ store, given: [query] }) => store.dumpFinalized({ limit: 10, ...query }),
  }),
  stores.told('log-of-none-for-zero', {
    dumpFinalized: (_, { given: [query] }) => query?.limit === 0 && { entries: [], cursor: 1 },
  }),
];
