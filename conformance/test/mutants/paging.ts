import type { SeqQuery, StoredTransaction } from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { stores } from './stores.ts';

type Peek = 'peekPending' | 'peekInflight';
type Page = (after: number, limit: number) => StoredTransaction[];

const mebibyte = 1_048_576;
const bytesOf = (page: StoredTransaction[]): number => page.reduce((sum, { payload }) => sum + payload.length, 0);
const day = 86_400_000;

/** O1 and O6, for both lists. */
function pagingMutants(verb: Peek): Mutant[] {
  const paging = (id: string, change: (read: Page, after: number, limit: number) => StoredTransaction[]) =>
    fifo.every(`${verb}-${id}`, [verb], ({ pool, given: [after, limit] }) =>
      change((...range) => pool[verb](...range), after, limit),
    );
  const asking = (id: string, change: (query: SeqQuery) => SeqQuery | StoredTransaction[]) =>
    stores.every(`${verb}-${id}`, [verb], async ({ store, given: [query = {}] }) => {
      const changed = change(query);
      return Array.isArray(changed) ? changed : store[verb](changed);
    });
  return [
    paging('starts-at-after', (read, after, limit) => read(Math.max(0, after - 1), limit)),
    paging('skips-one-behind-a-page', (read, after, limit) => read(after === 0 ? 0 : after + 1, limit)),
    paging('ignores-after-beyond-the-end', (read, after, limit) => read(after > 2 ** 40 ? 0 : after, limit)),
    paging('one-too-many', (read, after, limit) => read(after, Math.min(1_000, limit + 1))),
    paging('five-hundred-at-most', (read, after, limit) => read(after, Math.min(500, limit))),
    paging('pages-of-four-mebibytes', (read, after, limit) => {
      const page = read(after, limit);
      while (page.length > 1 && bytesOf(page) > 4 * mebibyte) page.pop();
      return page;
    }),
    paging('pages-without-a-size', (read, after, limit) => {
      const page = read(after, limit);
      if (bytesOf(page) < 8 * mebibyte) return page;
      return [...page, ...read(page.at(-1)?.seq ?? after, limit - page.length)];
    }),
    paging('nothing-larger-than-a-page', (read, after, limit) =>
      read(after, limit).filter(({ payload }) => payload.length <= 8 * mebibyte),
    ),
    asking('of-none-for-zero', (query) => ((query.limit ?? 1) < 1 ? [] : query)),
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
      [peek]: (after: number, limit: number) => (clock() - last > day ? [] : whole[peek](after, limit)),
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
      after === 0 || pool.peekPending(0, 1_000).some(({ seq }) => seq === after) ? page : [],
  }),
  fifo.told('pages-end-at-a-hole', {
    peekPending: (page, { given: [after] }) => after > 0 && page[0]?.seq !== after + 1 && [],
  }),
  fifo.around('in-flight-by-the-mark', {
    markInflight: ({ pool, given, notes: { numbers } }) => {
      const moved = pool.markInflight(...given);
      for (const hash of moved) numbers.set(hash, numbers.size);
      return moved;
    },
    peekInflight: ({ pool, given, notes: { numbers } }) =>
      pool.peekInflight(...given).toSorted((a, b) => (numbers.get(a.hash) ?? -1) - (numbers.get(b.hash) ?? -1)),
  }),
  fifo.only('confirmed-not-in-flight', { peekInflight: ({ stage }) => stage !== 'Confirmed' }),
  fifo.told('reading-takes', { peekPending: (page, { pool }) => void pool.markInflight(page.map(({ hash }) => hash)) }),
  hasPending('always-something-waiting', true),
  hasPending('never-anything-waiting', false),
  stores.around('waiting-told-once', {
    hasPending: ({ store, given, notes }) => {
      notes.count += 1;
      return notes.count === 1 ? store.hasPending(...given) : Promise.resolve(false);
    },
  }),
  expiring('a-day-is-enough', 'receive', 'peekPending'),
  expiring('flying-a-day-is-enough', 'markInflight', 'peekInflight'),
  fifo.told('usage-counts-acknowledged-as-propagated', {
    usage: ({ propagated, acknowledged }) => ({ propagated: propagated + acknowledged, acknowledged: 0 }),
  }),
  fifo.around('usage-one-call-behind', {
    confirm: ({ pool, given, notes }) => {
      notes.patches.set('last', { propagated: pool.usage().propagated });
      return pool.confirm(...given);
    },
    usage: ({ pool, notes }) => ({ ...pool.usage(), propagated: 0, ...notes.patches.get('last') }),
  }),
];
