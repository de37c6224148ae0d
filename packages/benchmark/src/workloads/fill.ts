import type { MempoolStore } from 'mempool-core';
import { batches, freshTransactions, hashesOf } from './sample.ts';

const callSize = 1_000;

/** Receives `count` transactions and returns their hashes. */
export async function fillPending(store: MempoolStore, count: number): Promise<string[]> {
  const hashes: string[] = [];
  for (let left = count; left > 0; left -= callSize) {
    const transactions = freshTransactions(Math.min(left, callSize));
    await store.receive(transactions);
    hashes.push(...hashesOf(transactions));
  }
  return hashes;
}

/** Receives `count` transactions and marks them in flight. */
export async function fillInflight(store: MempoolStore, count: number): Promise<string[]> {
  const hashes = await fillPending(store, count);
  for (const batch of batches(hashes, callSize)) await store.markInflight(batch);
  return hashes;
}
