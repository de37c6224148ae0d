import SqliteDatabase, { type Database } from 'better-sqlite3';

/**
 * The hashes in a file that is shared, by their last eight bytes: a page holds more than twice as many as of whole ones, so a
 * receive writes fewer pages. Unique, so that a row and the look for its hash are one statement.
 */
const ofEnds = 'CREATE UNIQUE INDEX IF NOT EXISTS tx_hash_end ON tx (substr(hash, -8))';
/** Of whole ones: for hashes two of which end alike, and as builds before the other one made it and rely on. */
const ofWhole = 'CREATE UNIQUE INDEX IF NOT EXISTS tx_hash ON tx (hash)';

export function indexHashes(database: Database): void {
  if (hasIndex(database, 'tx_hash')) return;
  try {
    database.exec(ofEnds);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    database.exec(ofWhole);
  }
}

/** Where two hashes end alike, which digests do not: from here on by the whole ones, as long as there is the file. False where it is. */
export function indexWholeHashes(database: Database): boolean {
  if (!hasIndex(database, 'tx_hash_end')) return false;
  database.exec(`DROP INDEX tx_hash_end; ${ofWhole}`);
  return true;
}

export function dropHashIndex(database: Database): void {
  database.exec('DROP INDEX IF EXISTS tx_hash_end; DROP INDEX IF EXISTS tx_hash');
}

function hasIndex(database: Database, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?").get(name) !== undefined;
}

function isDuplicate(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE';
}
