import { randomUUID } from 'node:crypto';
import { defaultRetention, type OpenOptions, type RemovingBackend } from 'mempool-core';
import {
  defineBackend,
  invalid,
  type LeaseSource,
  MemoryPool,
  memoryDriver,
  PriorityPool,
  priorityMemoryDriver,
} from 'mempool-core/backend';

/** The options of every backend, and the leases of the pool's election. */
export interface EphemeralOptions extends OpenOptions {
  /** The leases of the elections in this process, such as `Leases` of `mempool-election` (X6). By default no node leads. */
  readonly leases?: LeaseSource | undefined;
}

type OwnOptions = Pick<EphemeralOptions, 'leases'>;

/** The in-memory backend. Every `open` makes a new, empty pool, which ends with its process (D2). */
export const ephemeral: RemovingBackend<OwnOptions> = defineBackend<OwnOptions>({
  name: 'ephemeral',
  capabilities: { durable: false, shared: false, lease: true, priority: true, records: true, import: true },
  options: { leases: true },
  open({ leases, ...options }) {
    checkLeases(leases);
    const retention = { ...defaultRetention, ...options.retention };
    const epoch = randomUUID();
    if (options.ordering === 'priority') {
      const pool = new PriorityPool({ epoch, retention, limits: options.limits });
      return priorityMemoryDriver({ pool, options, leases, close: () => undefined });
    }
    const memory = new MemoryPool(epoch, retention);
    return memoryDriver({
      memory,
      options,
      leases,
      close: () => undefined,
    });
  },
  // A pool is in its store alone, and ends with it.
  remove({ leases }) {
    checkLeases(leases);
    return false;
  },
});

function checkLeases(leases: LeaseSource | undefined): void {
  if (leases !== undefined && !isLeaseSource(leases)) throw invalid('leases', 'a LeaseSource: held and extend');
}

function isLeaseSource(leases: LeaseSource | null): boolean {
  return typeof leases?.held === 'function' && typeof leases.extend === 'function';
}
