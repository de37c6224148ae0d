import type { CheckedBudget, CheckedGossipQuery } from '../contract/pool-driver.ts';
import type { Candidate, GossipItem, GossipPage } from '../contract/pool-verbs.ts';
import type { Transaction } from '../contract/transaction.ts';

/** A transaction as a pool in order of arrival weighs it. */
export interface FifoEntry {
  readonly hash: string;
  readonly seq: number;
  /** Of the payload. */
  readonly bytes: number;
}

/** Such a pool knows no gas and no priorities. */
export function candidateOf({ hash, seq, bytes }: FifoEntry): Candidate {
  return { hash, seq, bytes, gas: 0, priority: 0n };
}

/** What fits of the Pending ones, which come by seq: up to the first misfit, or the first after `skip` of them. */
export function reapFifo(pending: Iterable<FifoEntry>, budget: CheckedBudget): Candidate[] {
  const { maxBytes, maxTxs, skip, overheadBytes } = budget;
  const found: Candidate[] = [];
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
    found.push(candidateOf(arrival));
    if (found.length === maxTxs) break;
  }
  return found;
}

/** `body`: `null` where hashes alone were asked for. */
export function gossipItem({ hash, seq, bytes }: FifoEntry, body: Omit<Transaction, 'hash'> | null): GossipItem {
  const { payload, payloadType } = body ?? { payload: null, payloadType: null };
  return { hash, seq, gossipSeq: seq, bytes, gas: 0, priority: 0n, payload, payloadType };
}

/** What was looked at is what is handed out: nothing is kept back in such a pool. */
export function gossipPage(items: readonly GossipItem[], { after }: CheckedGossipQuery): GossipPage {
  return { items, next: items.at(-1)?.seq ?? after };
}
