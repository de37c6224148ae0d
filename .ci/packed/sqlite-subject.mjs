import { DatabaseSync } from 'node:sqlite';
import { openLeases } from 'mempool-conformance';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import { pathOf, removeFiles } from './pool-file.mjs';

export default {
  name: 'sqlite',
  module: import.meta.url,
  backend: sqlite,
  // No power is cut here: a sync for each commit would cost most of the time.
  open: (pool, options) => sqlite.open({ ...options, synchronous: 'normal', pool, path: pathOf(pool) }),
  leases: (pool, options) => openLeases(sqliteElection, { path: pathOf(pool) }, options),
  leaseTraits: ['hints', 'processes'],
  async forget(pool) {
    const database = new DatabaseSync(pathOf(pool), { timeout: 5_000 });
    database.exec('BEGIN IMMEDIATE; DELETE FROM lease; DELETE FROM member; COMMIT');
    database.close();
  },
  destroy: removeFiles,
};
