import type { RemovingBackend } from 'mempool-core';
import { defineBackend } from 'mempool-core/backend';
import { Fence } from './election/fence.ts';
import { hostClock, type LeaseClock } from './election/lease-clock.ts';
import { fifoDriver } from './fifo/driver.ts';
import { checkedOptions, optionNames, type SqliteOptions } from './file/options.ts';
import { openExclusive, openSecond, openShared } from './open-file.ts';
import { HashIndex, MemoryHashIndex } from './pool/hash-index.ts';
import type { PoolFile } from './pool/pool-file.ts';
import { PriorityChanges } from './priority/changes.ts';
import { openPriority } from './priority/driver.ts';
import { removeFile } from './remove-file.ts';

/** The single-file backend, shared between the processes of one host. */
export const sqlite: RemovingBackend<SqliteOptions> = sqliteWithClock(hostClock());

/** The same backend, with this clock for leases. */
export function sqliteWithClock(clock: LeaseClock): RemovingBackend<SqliteOptions> {
  return defineBackend<SqliteOptions>({
    name: 'sqlite',
    capabilities: { durable: true, shared: true, lease: true, priority: true, records: true, restore: true },
    options: optionNames,
    async open(options) {
      const file = await openShared(checkedOptions(options));
      const fence = new Fence(file, clock, options);
      if (options.ordering === 'priority') {
        const shared = { changes: new PriorityChanges(file), openReader: () => openSecond(checkedOptions(options)) };
        return openPriority({ file, fence, shared }, options);
      }
      return fifoDriver({ file, hashes: new HashIndex(file), fence }, options);
    },
    remove: (options) => removeFile(checkedOptions(options)),
  });
}

/**
 * The single-file backend for one process alone. It keeps the hashes in memory, so a receive costs the same with a million
 * transactions as with none. Another open, and an election, are refused with `ERR_MEMPOOL_IN_USE`, because there is only one process.
 */
export const sqliteExclusive: RemovingBackend<SqliteOptions> = defineBackend<SqliteOptions>({
  name: 'sqlite-exclusive',
  capabilities: { durable: true, shared: false, lease: false, priority: true, records: true, restore: true },
  options: optionNames,
  open(options) {
    const file = openExclusive(checkedOptions(options));
    if (options.ordering === 'priority') return openPriority({ file, fence: null, shared: null }, options);
    return fifoDriver({ file, hashes: readHashes(file), fence: null }, options);
  },
  remove: (options) => removeFile(checkedOptions(options)),
});

/** @throws `ERR_MEMPOOL_CORRUPT` if SQLite cannot read the hashes */
function readHashes(file: PoolFile): MemoryHashIndex {
  try {
    return file.atomically('beginRead', () => new MemoryHashIndex(file));
  } catch (error) {
    file.close();
    throw error;
  }
}
