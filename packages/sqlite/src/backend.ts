import type { Backend } from 'mempool-core';
import { defineBackend } from 'mempool-core/backend';
import { Fence } from './election/fence.ts';
import { hostClock, type LeaseClock } from './election/lease-clock.ts';
import { sqliteDriver } from './fifo/driver.ts';
import { checkedOptions, optionNames, type SqliteOptions } from './file/options.ts';
import { openOwn, openShared } from './open-file.ts';
import { OwnHashes, SharedHashes } from './pool/hashes.ts';
import { PriorityChanges } from './priority/changes.ts';
import { openPriority } from './priority/driver.ts';

/** The single-file backend, shared between the processes of one host. */
export const sqlite: Backend<SqliteOptions> = sqliteBy(hostClock());

/** Judges leases by that clock. */
export function sqliteBy(clock: LeaseClock): Backend<SqliteOptions> {
  return defineBackend<SqliteOptions>({
    name: 'sqlite',
    capabilities: { durable: true, shared: true, lease: true, priority: true },
    options: optionNames,
    async open(options) {
      const file = await openShared(checkedOptions(options));
      const fence = new Fence(file, clock, options);
      if (options.ordering === 'priority')
        return openPriority({ file, fence, changes: new PriorityChanges(file) }, options);
      return sqliteDriver({ file, hashes: new SharedHashes(file), fence }, options);
    },
  });
}

/**
 * The single-file backend for one process alone, which keeps the hashes in memory: a receive costs the same at a million
 * transactions as at none. A second opener is refused with `ERR_MEMPOOL_IN_USE`, an election too: there is nobody to lead.
 */
export const sqliteExclusive: Backend<SqliteOptions> = defineBackend<SqliteOptions>({
  name: 'sqlite-exclusive',
  capabilities: { durable: true, shared: false, lease: false, priority: true },
  options: optionNames,
  open(options) {
    const file = openOwn(checkedOptions(options));
    if (options.ordering === 'priority') return openPriority({ file, fence: null, changes: null }, options);
    return sqliteDriver({ file, hashes: new OwnHashes(file), fence: null }, options);
  },
});
