import type { Mempool, StoredTransaction } from 'mempool-core';

/** Iterates over all parked transactions, page by page. A fifo pool has none. */
export async function* parked(pool: Mempool, signal?: AbortSignal): AsyncGenerator<StoredTransaction, void> {
  if (pool.ordering === 'fifo') return;
  for (let after: string | undefined; ; ) {
    const { transactions, next } = await pool.peekParked({ after, signal });
    if (transactions.length === 0) return;
    yield* transactions;
    after = next;
  }
}
