import { execFileSync } from 'node:child_process';
import { openLeases } from 'mempool-conformance';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import { pathOf, removeFiles } from './pool-file.mjs';

/** A process of its own: another copy of SQLite in this one would end the locks of the first. */
const forgetting = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { timeout: 5_000 });
  database.exec('BEGIN IMMEDIATE; DELETE FROM lease; DELETE FROM member; COMMIT');
  database.close();
`;

export default {
  name: 'sqlite',
  module: import.meta.url,
  backend: sqlite,
  // No power is cut here: a sync for each commit would cost most of the time.
  open: (pool, options) => sqlite.open({ ...options, synchronous: 'normal', pool, path: pathOf(pool) }),
  leases: (pool, options) => openLeases(sqliteElection, { path: pathOf(pool) }, options),
  leaseTraits: ['hints', 'processes'],
  async forget(pool) {
    execFileSync(process.execPath, ['-e', forgetting, pathOf(pool)]);
  },
  destroy: removeFiles,
};
