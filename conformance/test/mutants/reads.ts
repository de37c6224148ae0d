import type { LogEntry, SeqQuery, StoredTransaction } from 'mempool-core';
import { type DriverLogPage, type DriverPage, invalid } from 'mempool-core/backend';
import { unknownStatus } from '../../src/scenario/pool.ts';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './store-operators.ts';

type Found = StoredTransaction | null;

function finding(
  id: string,
  change: (found: Found[], pool: PlantedDriver, asked: readonly string[]) => Found[],
): Mutant {
  return fifo.told(id, { findInflight: (found, { pool, given: [asked] }) => change(found, pool, asked) });
}

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
  fifo.only('status-without-unknown-ones', { checkStatus: ({ stage }) => stage !== 'Unknown' }),
  byEntry('entry-counts-before-the-live-one', (entries) => entries.at(-1)),
  fifo.each('hash-goes-with-its-first-entry', {
    checkStatus: ({ stage }, { pool }) => {
      const isTrimmed = pool.usage().lastLogSeq > pool.logged().length && stage === 'Dropped';
      return (
        isTrimmed && pool.logged().every(({ reason }) => reason === 'expired') && { stage: 'Unknown', reason: null }
      );
    },
  }),
  finding('found-first-missing-last', (found) => found.toSorted((a, b) => Number(a === null) - Number(b === null))),
  finding('found-once', (found, _, asked) => found.map((one, i) => (asked.indexOf(asked[i] ?? '') === i ? one : null))),
  finding('waiting-ones-found-in-flight', (found, pool, asked) =>
    found.map((one, i) => one ?? pool.peekPending(0, 1_000).transactions.find(({ hash }) => hash === asked[i]) ?? null),
  ),
  stores.plant('empty-where-it-failed', (store) => ({
    hasPending: (options) => store.hasPending(options).catch(() => false),
    peekPending: (query) => store.peekPending(query).catch(() => ({ transactions: [], damaged: [], next: 'origin' })),
    checkStatus: (hashes, options) => store.checkStatus(hashes, options).catch(() => hashes.map(unknownStatus)),
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

function entries(id: string, change: (entry: LogEntry, pool: PlantedDriver) => object | false): Mutant {
  return fifo.each(id, { dumpFinalized: (entry, { pool }) => change(entry, pool) });
}

/** O4 and O6 for the log. */
export const logMutants: readonly Mutant[] = [
  pages('never-more', () => ({ hasMore: false })),
  stores.opened('log-keeps-a-thousand', (options) => ({ maxFinalized: 1_000, ...options })),
  stores.opened('log-keeps-three', (options) => ({ ...options, maxFinalized: 3 })),
  entries('entry-without-its-block', () => ({ point: null })),
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
    dumpFinalized: (_, { given: [query] }) => query?.limit === 0 && { entries: [], cursor: 'l1.pool' },
  }),
];

type Peek = 'peekPending' | 'peekInflight';
type Page = (after: number, limit: number) => DriverPage;

const mebibyte = 1_048_576;
const bytesOf = ({ transactions }: DriverPage): number =>
  transactions.reduce((sum, { payload }) => sum + payload.length, 0);
const day = 86_400_000;

/** O1 and O6, for both lists. */
function pagingMutants(verb: Peek): Mutant[] {
  const paging = (id: string, change: (read: Page, after: number, limit: number) => DriverPage) =>
    fifo.every(`${verb}-${id}`, [verb], ({ pool, given: [after, limit] }) =>
      change((...range) => pool[verb](...range), after, limit),
    );
  const asking = (id: string, change: (query: SeqQuery) => SeqQuery | null) =>
    stores.every(`${verb}-${id}`, [verb], async ({ store, given: [query = {}] }) => {
      const changed = change(query);
      return changed === null ? { ...(await store[verb]()), transactions: [] } : store[verb](changed);
    });
  return [
    paging('starts-at-after', (read, after, limit) => read(Math.max(0, after - 1), limit)),
    paging('skips-one-behind-a-page', (read, after, limit) => read(after === 0 ? 0 : after + 1, limit)),
    paging('ignores-after-beyond-the-end', (read, after, limit) => read(after > 2 ** 40 ? 0 : after, limit)),
    paging('one-too-many', (read, after, limit) => read(after, Math.min(1_000, limit + 1))),
    paging('five-hundred-at-most', (read, after, limit) => read(after, Math.min(500, limit))),
    paging('pages-of-four-mebibytes', (read, after, limit) => {
      const page = read(after, limit);
      while (page.transactions.length > 1 && bytesOf(page) > 4 * mebibyte) page.transactions.pop();
      return { ...page, next: page.transactions.at(-1)?.seq ?? page.next };
    }),
    paging('pages-without-a-size', (read, after, limit) => {
      const page = read(after, limit);
      if (bytesOf(page) < 8 * mebibyte) return page;
      const rest = read(page.next, limit - page.transactions.length);
      return { ...rest, transactions: [...page.transactions, ...rest.transactions] };
    }),
    paging('nothing-larger-than-a-page', (read, after, limit) => {
      const page = read(after, limit);
      return { ...page, transactions: page.transactions.filter(({ payload }) => payload.length <= 8 * mebibyte) };
    }),
    asking('of-none-for-zero', (query) => ((query.limit ?? 1) < 1 ? null : query)),
    asking('without-limit-gives-ten', (query) => ({ limit: 10, ...query })),
    asking('with-a-large-limit-is-refused', (query) => {
      if ((query.limit ?? 1) > 1_000) throw invalid('limit', 'at most 1000');
      return query;
    }),
  ];
}

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
  ...pagingMutants('peekPending'),
  ...pagingMutants('peekInflight'),
  fifo.told('after-must-be-there', {
    peekPending: (page, { pool, given: [after] }) =>
      after === 0 || pool.peekPending(0, 1_000).transactions.some(({ seq }) => seq === after)
        ? page
        : { transactions: [] },
  }),
  fifo.told('pages-end-at-a-hole', {
    peekPending: ({ transactions }, { given: [after] }) =>
      after > 0 && transactions[0]?.seq !== after + 1 && { transactions: [] },
  }),
  hasPending('always-something-waiting', true),
  hasPending('never-anything-waiting', false),
  expiring('a-day-is-enough', 'receive', 'peekPending'),
  expiring('flying-a-day-is-enough', 'markInflight', 'peekInflight'),
  fifo.around('usage-one-call-behind', {
    confirm: ({ pool, given, notes }) => {
      notes.patches.set('last', { propagated: pool.usage().propagated });
      return pool.confirm(...given);
    },
    usage: ({ pool, notes }) => ({ ...pool.usage(), propagated: 0, ...notes.patches.get('last') }),
  }),
];
