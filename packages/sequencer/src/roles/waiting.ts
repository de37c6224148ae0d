import type { Mempool, StoredTransaction } from 'mempool-core';

type Waiting = Pick<StoredTransaction, 'receivedAt'>;

/** True if a submission came in time, by the store's clock. One whose time is damaged did not. */
export function isInTime({ receivedAt }: Waiting, closesAt: number): boolean {
  return receivedAt !== null && receivedAt < closesAt;
}

/** True if the pool has a submission that is neither counted nor dropped. */
export async function hasWaiting(pool: Mempool): Promise<boolean> {
  const { pending, propagated } = await pool.usage();
  return pending > 0 || propagated > 0;
}

/**
 * True if the pool may have a submission that came in time and is neither counted nor dropped. If the pool changes between the reads,
 * one may have moved from a place that was not read yet to one that was: then it is asked again later.
 */
export async function hasWaitingInTime(pool: Mempool, closesAt: number): Promise<boolean> {
  const { pending, propagated, held, lastEventSeq } = await pool.usage();
  if (pending === 0 && propagated === 0) return false;
  // Only submissions in time are held back, to be checked again.
  if (held > 0 || (await hasPendingInTime(pool, closesAt)) || (await hasClaimedInTime(pool, closesAt))) return true;
  return (await pool.usage()).lastEventSeq !== lastEventSeq;
}

/** Times of arrival rise with the `seq`, so the oldest one decides. */
async function hasPendingInTime(pool: Mempool, closesAt: number): Promise<boolean> {
  const { transactions } = await pool.peekPending({ limit: 1 });
  return transactions.some((each) => isInTime(each, closesAt));
}

async function hasClaimedInTime(pool: Mempool, closesAt: number): Promise<boolean> {
  let page = await pool.peekInflight({ limit: 1_000 });
  while (page.transactions.length > 0) {
    const isClaimed = (each: StoredTransaction) => each.stage === 'Propagated' && isInTime(each, closesAt);
    if (page.transactions.some(isClaimed)) return true;
    page = await pool.peekInflight({ limit: 1_000, after: page.next });
  }
  return false;
}
