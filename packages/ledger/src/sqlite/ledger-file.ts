import { type Database, type FileKind, incompatible, SqlFile } from 'mempool-sqlite/backend';
import { noDigest } from '../backend.ts';
import { digestBytes } from './rows.ts';
import { readSql } from './sql-text.ts';

export const ledgerKind: FileKind = {
  what: 'ledger',
  // "mmld"
  applicationId: 0x6d6d6c64,
  format: 1,
  readable: [1],
};

/** Statements that read amounts, which do not fit a double. */
const exact = ['wallet', 'walletBySeq', 'opening', 'openings'] as const;

/** One connection to a ledger's file. */
export class LedgerFile extends SqlFile {
  constructor(database: Database) {
    super(database, readSql('statements.sql'));
    for (const name of exact) this.statement(name).safeIntegers(true);
  }
}

/** Creates the ledger, unless there is one, in the transaction that opens the file. @throws `ERR_MEMPOOL_INCOMPATIBLE` for another name */
export function prepareLedger(database: Database, path: string, name: string): void {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'ledger'").get() === undefined) {
    database.exec(readSql('tables.sql'));
    database.prepare('INSERT INTO ledger VALUES (1, ?, 0, 0, ?)').run(name, digestBytes(noDigest));
  }
  const found = database.prepare('SELECT name FROM ledger').pluck().get();
  if (found !== name) throw incompatible(path, `the file holds the ledger ${found}`);
}
