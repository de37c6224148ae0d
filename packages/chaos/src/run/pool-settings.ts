import type { MempoolConfig } from 'mempool-core';

/** A transaction that no block carries is dropped after four blocks; one in a block is final six blocks deep. */
export const thresholds = { finalizeThreshold: 6, dropThreshold: 4 };

/** Limits so large that nothing is trimmed during a run. */
export const retention = { maxFinalized: 200_000, maxEvents: 1_000_000, maxRollback: 10_000 };

interface OrderKey {
  readonly url: string;
  readonly pool: string;
}

/** The settings of the pool. Calls time out early, because another node may do the work. */
export function poolSettings({ url, pool }: OrderKey): MempoolConfig & { readonly pool: string } {
  return { backend: 'redis', deployment: 'multi-node', url, pool, timeoutMs: 2_000, ...thresholds, ...retention };
}
