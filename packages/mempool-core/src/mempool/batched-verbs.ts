import type { WriteOptions } from '../contract/call-options.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { CheckedCallTime } from '../contract/pool-driver.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { MempoolStore, ReceiveOutcome } from '../contract/store.ts';
import type { TransactionStatus } from '../contract/transaction.ts';
import type { BatchedVerb } from './call-list.ts';

/** What is submitted, and when. */
export interface QueuedSubmission extends Submission, CheckedCallTime {}

/**
 * Two receives under way at once could swap, and arrival order shows (L1): so those of other moments wait in the same lane,
 * though they cannot share a store call.
 */
export function batchedReceive(store: MempoolStore): BatchedVerb<QueuedSubmission, ReceiveOutcome> {
  return {
    name: 'receive',
    kind: 'write',
    overlaps: false,
    mayShare: (first, next) => first.now === next.now && first.height === next.height,
    send: (fifo, options) => {
      const { now = null, height = null } = fifo[0] ?? {};
      return store.receive(fifo, { ...options, now: now ?? undefined, height: height ?? undefined });
    },
  };
}

export function batchedMove(store: MempoolStore, verb: MoveVerb): BatchedVerb<string, boolean> {
  return {
    name: verb,
    kind: 'write',
    overlaps: true,
    send: async (hashes, options) => moved(hashes, await store[verb](hashes, options)),
  };
}

/** Drops with the same reason go together. Where two lanes of other reasons swap, only their log numbers tell. */
export function batchedDrop(store: MempoolStore, reason: string): BatchedVerb<string, boolean> {
  return {
    name: `drop ${reason}`,
    kind: 'write',
    overlaps: true,
    send: async (hashes, options) => moved(hashes, await store.drop(hashes, reason, options)),
  };
}

export function batchedStatus(store: MempoolStore): BatchedVerb<string, TransactionStatus> {
  return {
    name: 'status',
    kind: 'read',
    overlaps: true,
    send: (hashes, { signal }: WriteOptions) => store.checkStatus(hashes, { signal }),
  };
}

/** Of several callers who named one hash, the first has moved it. */
function moved(hashes: readonly string[], answer: readonly string[]): boolean[] {
  const left = new Set(answer);
  return hashes.map((hash) => left.delete(hash));
}
