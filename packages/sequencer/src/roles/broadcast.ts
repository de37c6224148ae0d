import type { WorkDone } from 'mempool-core';
import type { Namespace } from '../store/namespace.ts';

/** How batches are sent. */
export interface BroadcastOptions {
  /** The name of this worker, 1–128 printable characters. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Sends a batch to the other validators. If it throws, the batch is sent again later. */
  readonly gossip: (message: Uint8Array) => void | Promise<void>;
}

/** Sends this validator's batches until the signal aborts: each at least once. */
export function broadcast({ outgoing }: Namespace, { owner, signal, gossip }: BroadcastOptions): Promise<WorkDone> {
  return outgoing.work(({ payload }) => gossip(payload), { owner, signal, backoff: () => 250, attempts: 100 });
}
