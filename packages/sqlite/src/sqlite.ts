import type { RemovingBackend } from 'mempool-core';
import { type DriverOptions, defineBackend } from 'mempool-core/backend';
import { Fence } from './election/fence.ts';
import { hostClock, type LeaseClock } from './election/lease-clock.ts';
import { fifoDriver } from './fifo/driver.ts';
import { checkedOptions, optionNames, type SqliteOptions } from './file/options.ts';
import { openSecond, openShared } from './open-file.ts';
import { CopiedFile } from './pool/copied-file.ts';
import { HashIndex } from './pool/hash-index.ts';
import type { PoolFile } from './pool/pool-file.ts';
import { openPriority } from './priority/driver.ts';
import { removeFile } from './remove-file.ts';

/** The single-file backend, shared between the processes of one host. */
export const sqlite: RemovingBackend<SqliteOptions> = sqliteWithClock(hostClock());

/** The same backend, with this clock for leases. */
export function sqliteWithClock(clock: LeaseClock): RemovingBackend<SqliteOptions> {
  return defineBackend<SqliteOptions>({
    name: 'sqlite',
    capabilities: { durable: true, shared: true, lease: true, priority: true, records: true, import: true },
    options: optionNames,
    async open(options) {
      const file = await openShared(checkedOptions(options));
      const fence = new Fence(file, clock, options);
      if (options.ordering === 'priority') {
        return openPriority(
          { file, fence, openReader: () => openSecond(checkedOptions(options)), copied: copiedOf(file, options) },
          options,
        );
      }
      return fifoDriver({ file, hashes: new HashIndex(file), fence, copied: copiedOf(file, options) }, options);
    },
    remove: (options) => removeFile(checkedOptions(options)),
  });
}

function copiedOf(file: PoolFile, options: DriverOptions & SqliteOptions): CopiedFile {
  return new CopiedFile(file, (path) => openSecond({ ...options, path }));
}
