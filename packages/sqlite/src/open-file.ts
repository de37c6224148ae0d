import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { defaultRetention, type Ordering } from 'mempool-core';
import type * as core from 'mempool-core/backend';
import { storeFifoLimit } from './fifo/tables.ts';
import { incompatible, openDatabase, openReader } from './file/database-file.ts';
import { formats, poolKind } from './file/file-kind.ts';
import type { SqliteOptions } from './file/options.ts';
import { readSql } from './file/sql-text.ts';
import { whileBusy } from './file/write-turns.ts';
import { PoolFile } from './pool/pool-file.ts';
import { createPriorityTables, storePriorityLimits } from './priority/format.ts';

type FileOptions = core.DriverOptions & SqliteOptions;

/** Statements for tables that only pools of this ordering have. */
const statements: Readonly<Record<Ordering, string>> = {
  fifo: readSql('fifo/statements.sql'),
  priority: readSql('priority/statements.sql'),
};

/** Opens the file for sharing with other processes. Waits while another one creates or locks it. */
export function openShared(options: FileOptions): Promise<PoolFile> {
  return whileBusy({ ...options, signal: undefined }, () => openFile(options));
}

/** Opens a further connection to a file that `openShared` has opened. It only reads. */
export function openSecond({ path, damage, ordering }: FileOptions): PoolFile {
  return new PoolFile(openReader(path), damage, statements[ordering]);
}

function openFile(options: FileOptions): PoolFile {
  const { path, damage, ordering, create = true } = options;
  const synchronous = options.synchronous === 'normal' ? 'NORMAL' : 'FULL';
  return openDatabase(
    { kind: poolKind, path, synchronous, create },
    (database) => prepare(database, options),
    (database) => new PoolFile(database, damage, statements[ordering]),
  );
}

/** In one transaction: creates the pool, unless there is one, and applies the options of this open. */
function prepare(database: Database, options: FileOptions): void {
  const { path, pool, ordering, retention, limits } = options;
  database.exec(readSql('election/tables.sql'));
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'pool'").get() === undefined)
    create(database, options);
  const { name } = database.prepare('SELECT name FROM pool').get() as { name: unknown };
  if (name !== pool) throw incompatible(path, `the file holds the pool ${name}`);
  if (database.pragma('user_version', { simple: true }) !== formats[ordering]) {
    const other = ordering === 'fifo' ? 'priority' : 'fifo';
    throw incompatible(path, `the pool was made with ordering: '${other}'`);
  }
  const nameRetention = () =>
    database.prepare(retentionSql).run({ maxFinalized: null, maxEvents: null, maxRollback: null, ...retention });
  if (ordering === 'priority') storePriorityLimits(database, limits, nameRetention);
  else {
    nameRetention();
    storeFifoLimit(database, limits);
  }
}

const retentionSql = `UPDATE pool SET max_finalized = ifnull(@maxFinalized, max_finalized),
  max_events = ifnull(@maxEvents, max_events), max_rollback = ifnull(@maxRollback, max_rollback)`;

function create(database: Database, { pool, ordering }: FileOptions): void {
  const { maxFinalized, maxEvents, maxRollback } = defaultRetention;
  database.exec(readSql('pool/tables.sql'));
  database.exec(readSql('pool/record-tables.sql'));
  database
    .prepare('INSERT INTO pool (id, name, epoch, max_finalized, max_events, max_rollback) VALUES (1, ?, ?, ?, ?, ?)')
    .run(pool, randomUUID(), maxFinalized, maxEvents, maxRollback);
  database.exec("INSERT INTO step VALUES (0, 0, x'80', 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)");
  if (ordering === 'priority') createPriorityTables(database);
  else database.exec(readSql('fifo/tables.sql'));
  database.pragma(`user_version = ${formats[ordering]}`);
}
