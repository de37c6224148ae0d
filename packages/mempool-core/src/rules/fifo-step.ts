import type { DriverGossipPage } from '../contract/driver-page.ts';
import type { Facts, TxState } from '../contract/lifecycle.ts';
import type { Cut } from '../contract/page-rules.ts';
import type { CheckedBudget } from '../contract/pool-driver.ts';
import type { Candidate, GossipItem } from '../contract/pool-verbs.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { PageStart } from './answers.ts';
import type { PoolView } from './step.ts';

/** Returns up to `limit` transactions that were sent before a time, without the hashes in `but` (L14). */
export function overdueBut(view: PoolView, before: number, limit: number, but: ReadonlySet<string>): TxState[] {
  if (before === Number.NEGATIVE_INFINITY) return [];
  return Iterator.from(view.sentBefore(before, limit + but.size))
    .filter(({ hash }) => !but.has(hash))
    .take(limit)
    .toArray();
}

/** The data of a transaction that a fifo pool needs for `reap`, `take` and `since`. */
export interface FifoEntry {
  readonly hash: string;
  readonly seq: number;
  /** Length of the payload. */
  readonly bytes: number;
  /** The facts, if the entry was read with them. Otherwise `take` reads them. */
  readonly facts?: Facts;
}

/** Returns the candidate for an entry. Gas and priority are 0, because a fifo pool has neither. */
export function candidateOf({ hash, seq, bytes }: FifoEntry): Candidate {
  return { hash, seq, bytes, gas: 0, priority: 0n };
}

/**
 * Returns the Pending transactions that fit into the budget. `pending` is ordered by seq. A transaction that does not fit
 * is skipped; after more than `skip` of them the search ends.
 */
export function reapFifo<Entry extends FifoEntry>(pending: Iterable<Entry>, budget: CheckedBudget): Entry[] {
  const { maxBytes, maxTxs, skip, overheadBytes } = budget;
  const found: Entry[] = [];
  let [bytes, misfits] = [0, 0];
  if (maxTxs === 0) return found;
  for (const arrival of pending) {
    const size = arrival.bytes + overheadBytes;
    if (bytes + size > maxBytes) {
      misfits += 1;
      if (misfits > skip) break;
      continue;
    }
    bytes += size;
    found.push(arrival);
    if (found.length === maxTxs) break;
  }
  return found;
}

/** Returns an item of a `since` page. `body` is `null` with `hashesOnly`. */
export function gossipItem({ hash, seq, bytes }: FifoEntry, body: Omit<Transaction, 'hash'> | null): GossipItem {
  const { payload, payloadType } = body ?? { payload: null, payloadType: null };
  return { hash, seq, gossipSeq: seq, bytes, gas: 0, priority: 0n, payload, payloadType };
}

/** Returns a page of `since`. A fifo pool hides no transactions, so the next page starts after the last record. */
export function gossipPage<R extends Pick<FifoEntry, 'hash' | 'seq'>>(
  { records, last }: Cut<R>,
  { after, epoch }: PageStart,
  read: (record: R) => GossipItem,
): DriverGossipPage {
  return { items: records.map(read), next: last?.seq ?? after, epoch };
}
