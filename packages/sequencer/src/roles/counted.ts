import type { Mempool, StoredTransaction } from 'mempool-core';

/** Pages of the checked and not dropped submissions of an epoch's pool, by `seq`. The next one is read while one is looked at. */
export async function* countedIn(pool: Mempool): AsyncGenerator<StoredTransaction[]> {
  let page = await pool.peekInflight({ limit: 1_000 });
  while (page.transactions.length > 0) {
    const next = pool.peekInflight({ limit: 1_000, after: page.next });
    // It is awaited below, unless the reader stops.
    next.catch(() => undefined);
    yield page.transactions.filter(({ stage }) => stage === 'Acknowledged');
    page = await next;
  }
}
