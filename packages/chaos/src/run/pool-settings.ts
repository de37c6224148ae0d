import type { MempoolConfig } from 'mempool-core';

/** A transaction that no block carries is dropped after four blocks; one in a block is final six blocks deep. */
export const thresholds = { finalizeThreshold: 6, dropThreshold: 4 };

/** Whatever happens in a run, nothing of it is trimmed. */
export const retention = { maxFinalized: 200_000, maxEvents: 1_000_000, maxRollback: 10_000 };

interface OrderKey {
  readonly url: string;
  readonly pool: string;
}

/** A call gives up before long: another node may do it. */
export function poolSettings({ url, pool }: OrderKey): MempoolConfig & { readonly pool: string } {
  return { backend: 'redis', deployment: 'multi-node', url, pool, timeoutMs: 2_000, ...thresholds, ...retention };
}
