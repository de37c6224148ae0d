import { type Backend, type DriverOptions, defineBackend, invalid } from 'mempool-core';
import { Fence } from './election/fence.ts';
import { hostClock, type LeaseClock } from './election/lease-clock.ts';
import { sqliteDriver } from './fifo/driver.ts';
import { openOwn, openShared } from './open-file.ts';
import { OwnHashes, SharedHashes } from './pool/hashes.ts';
import { PriorityChanges } from './priority/changes.ts';
import { openPriority } from './priority/driver.ts';

export interface SqliteOptions {
  /** The pool's file; made where it is missing, in a directory that exists. */
  readonly path: string;
  /**
   * `full`, the default: what was answered survives a power cut (D1). `normal` is faster and survives a killed process,
   * but a power cut may take back the last calls, as if they had never been made.
   */
  readonly synchronous?: 'full' | 'normal' | undefined;
  /** `false`: the file must be there, else `ERR_MEMPOOL_INVALID` names `path`. Default `true`. */
  readonly create?: boolean | undefined;
}

const ownOptions = { path: true, synchronous: true, create: true } as const;

/** The single-file backend, shared between the processes of one host. */
export const sqlite: Backend<SqliteOptions> = sqliteBy(hostClock());

/** Judges leases by that clock. */
export function sqliteBy(clock: LeaseClock): Backend<SqliteOptions> {
  return defineBackend<SqliteOptions>({
    name: 'sqlite',
    capabilities: { durable: true, shared: true, lease: true, priority: true },
    options: ownOptions,
    async open(options) {
      const file = await openShared(checked(options));
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
  options: ownOptions,
  open(options) {
    const file = openOwn(checked(options));
    if (options.ordering === 'priority') return openPriority({ file, fence: null, changes: null }, options);
    return sqliteDriver({ file, hashes: new OwnHashes(file), fence: null }, options);
  },
});

function checked<O extends DriverOptions & SqliteOptions>(options: O): O {
  const { path, synchronous = 'full', create = true } = options;
  if (!isFileName(path)) throw invalid('path', 'the name of a file');
  if (synchronous !== 'full' && synchronous !== 'normal') throw invalid('synchronous', "'full' or 'normal'");
  if (typeof create !== 'boolean') throw invalid('create', 'true or false');
  return options;
}

/** SQLite takes an empty name and `:memory:` for databases that vanish: no pool of a durable backend may be one. */
export function isFileName(path: unknown): path is string {
  return typeof path === 'string' && path !== '' && path !== ':memory:' && !path.includes('\0');
}
