import { invalid, type SeqQuery, type StoredTransaction } from 'mempool-core';
import { answered, handed, type Mutant } from './mutant.ts';

type Peek = 'peekPending' | 'peekInflight';
type Page = (after: number, limit: number) => StoredTransaction[];

const peeks: readonly Peek[] = ['peekPending', 'peekInflight'];
const mebibyte = 1_048_576;

function paging(
  id: string,
  verb: Peek,
  alter: (read: Page, after: number, limit: number) => StoredTransaction[],
): Mutant {
  return answered(`${verb}-${id}`, (pool) => {
    const read: Page = (after, limit) => pool[verb](after, limit);
    return { [verb]: (after: number, limit: number) => alter(read, after, limit) };
  });
}

function bytesOf(records: readonly StoredTransaction[]): number {
  return records.reduce((sum, { payload }) => sum + payload.length, 0);
}

/** O1 and O6, for both lists. */
function pagingMutants(verb: Peek): Mutant[] {
  return [
    paging('starts-at-after', verb, (read, after, limit) => read(Math.max(0, after - 1), limit)),
    paging('skips-one-behind-a-page', verb, (read, after, limit) =>
      after === 0 ? read(0, limit) : read(after + 1, limit),
    ),
    paging('ignores-after-beyond-the-end', verb, (read, after, limit) =>
      after > 2 ** 40 ? read(0, limit) : read(after, limit),
    ),
    paging('one-too-many', verb, (read, after, limit) => read(after, Math.min(1_000, limit + 1))),
    paging('five-hundred-at-most', verb, (read, after, limit) => read(after, Math.min(500, limit))),
    paging('pages-of-four-mebibytes', verb, (read, after, limit) => {
      const page = read(after, limit);
      while (page.length > 1 && bytesOf(page) > 4 * mebibyte) page.pop();
      return page;
    }),
    paging('pages-without-a-size', verb, (read, after, limit) => {
      const page = read(after, limit);
      if (bytesOf(page) < 8 * mebibyte) return page;
      return [...page, ...read(page.at(-1)?.seq ?? after, limit - page.length)];
    }),
    paging('nothing-larger-than-a-page', verb, (read, after, limit) =>
      read(after, limit).filter(({ payload }) => payload.length <= 8 * mebibyte),
    ),
    handed(`${verb}-of-none-for-zero`, (store) => ({
      [verb]: async (query: SeqQuery = {}) => ((query.limit ?? 1) < 1 ? [] : store[verb](query)),
    })),
    handed(`${verb}-without-limit-gives-ten`, (store) => ({
      [verb]: (query: SeqQuery = {}) => store[verb]({ limit: 10, ...query }),
    })),
    handed(`${verb}-with-a-large-limit-is-refused`, (store) => ({
      [verb]: (query: SeqQuery = {}) =>
        (query.limit ?? 1) > 1_000 ? Promise.reject(invalid('limit', 'at most 1000')) : store[verb](query),
    })),
  ];
}

/** O1 and O2. */
export const pageMutants: readonly Mutant[] = [
  ...peeks.flatMap(pagingMutants),
  answered('after-must-be-there', (pool) => ({
    peekPending: (after, limit) => {
      const all = pool.peekPending(0, 1_000);
      return after === 0 || all.some(({ seq }) => seq === after) ? pool.peekPending(after, limit) : [];
    },
  })),
  answered('pages-end-at-a-hole', (pool) => ({
    peekPending: (after, limit) => {
      const page = pool.peekPending(after, limit);
      return after > 0 && page[0]?.seq !== after + 1 ? [] : page;
    },
  })),
  answered('in-flight-by-the-mark', (pool) => {
    const marked: string[] = [];
    return {
      move: (verb, hashes, context) => {
        const moved = pool.move(verb, hashes, context);
        if (verb === 'markInflight') marked.push(...moved);
        return moved;
      },
      peekInflight: (after, limit) =>
        pool.peekInflight(after, limit).toSorted((a, b) => marked.indexOf(a.hash) - marked.indexOf(b.hash)),
    };
  }),
  answered('confirmed-not-in-flight', (pool) => ({
    peekInflight: (after, limit) => pool.peekInflight(after, limit).filter(({ stage }) => stage !== 'Confirmed'),
  })),
  answered('reading-takes', (pool) => ({
    peekPending: (after, limit) => {
      const page = pool.peekPending(after, limit);
      pool.move(
        'markInflight',
        page.map(({ hash }) => hash),
        { signal: undefined, operationId: undefined },
      );
      return page;
    },
  })),
  handed('always-something-waiting', (store) => ({
    hasPending: async () => {
      await store.usage();
      return true;
    },
  })),
  handed('never-anything-waiting', (store) => ({
    hasPending: async () => {
      await store.usage();
      return false;
    },
  })),
  handed('waiting-told-once', (store) => {
    let asked = 0;
    return { hasPending: async (options) => (asked++ === 0 ? store.hasPending(options) : false) };
  }),
  answered('a-day-is-enough', (pool, { clock }) => {
    let last = clock();
    const expired = () => clock() - last > 86_400_000;
    return {
      receive: (transactions, context) => {
        last = clock();
        return pool.receive(transactions, context);
      },
      peekPending: (after, limit) => (expired() ? [] : pool.peekPending(after, limit)),
    };
  }),
  answered('flying-a-day-is-enough', (pool, { clock }) => {
    let last = clock();
    return {
      move: (verb, hashes, context) => {
        last = clock();
        return pool.move(verb, hashes, context);
      },
      peekInflight: (after, limit) => (clock() - last > 86_400_000 ? [] : pool.peekInflight(after, limit)),
    };
  }),
  answered('usage-counts-acknowledged-as-propagated', (pool) => ({
    usage: () => {
      const usage = pool.usage();
      return { ...usage, propagated: usage.propagated + usage.acknowledged, acknowledged: 0 };
    },
  })),
  answered('usage-one-call-behind', (pool) => {
    let last = pool.usage();
    const remember = <T>(run: () => T): T => {
      last = pool.usage();
      return run();
    };
    return {
      confirm: (block, context) => remember(() => pool.confirm(block, context)),
      usage: () => ({ ...pool.usage(), propagated: last.propagated }),
    };
  }),
];
