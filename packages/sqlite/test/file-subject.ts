import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { openLeases, type Subject } from 'mempool-conformance';
import type { RemovingBackend } from 'mempool-core';
import { type SqliteOptions, sqliteElection } from 'mempool-sqlite';
import { damageFile } from './file-damage.ts';

/** Pools as files of one directory, which child processes find by name. */
export function fileSubject(name: string, module: string, backend: RemovingBackend<SqliteOptions>): Subject {
  const directory = join(tmpdir(), 'mempool-sqlite-conformance');
  mkdirSync(directory, { recursive: true });
  // A name may be longer than that of a file, and differ from another in case alone.
  const pathOf = (pool: string) => join(directory, `${name}-${createHash('sha256').update(pool).digest('hex')}.db`);
  const election: Partial<Subject> = {
    leases: (pool, options) => openLeases(sqliteElection, { path: pathOf(pool) }, options),
    leaseTraits: ['hints', 'processes'],
    async forget(pool) {
      // The copy of SQLite that has the file open: another one in this process would end its locks (README).
      const database = new SqliteDatabase(pathOf(pool), { timeout: 5_000 });
      database.exec('BEGIN IMMEDIATE; DELETE FROM lease; DELETE FROM member; COMMIT');
      database.close();
    },
  };
  return {
    ...(backend.capabilities.lease && election),
    name,
    module,
    backend,
    boundary: 'core',
    open: (pool, options = {}) => backend.open({ ...options, pool, path: pathOf(pool) }),
    remove: (pool) => backend.remove({ pool, path: pathOf(pool) }),
    damage: async (pool, record) => damageFile(pathOf(pool), record),
    async destroy(pool) {
      for (const suffix of ['', '-wal', '-shm', '-watcher-lock']) rmSync(`${pathOf(pool)}${suffix}`, { force: true });
    },
  };
}
