import { badOption, type ElectionProvider, type LeaseStoreOptions } from 'mempool-election';
import { openDatabase } from '../file/database-file.ts';
import { realFile } from '../file/file-identity.ts';
import { poolKind } from '../file/file-kind.ts';
import { isFileName } from '../file/options.ts';
import { SqlFile } from '../file/sql-file.ts';
import { readSql } from '../file/sql-text.ts';
import { whileBusy } from '../file/write-turns.ts';
import { CrashLock } from './crash-lock.ts';
import { electionError } from './error.ts';
import { hostClock, type LeaseClock } from './lease-clock.ts';
import { FileLeaseStore } from './lease-store.ts';

export interface SqliteElectionOptions {
  /** The path of the pool's file. The file is created if it is missing; its directory must exist. */
  readonly path: string;
}

/** Elections between processes of one host, in the file of a pool. A lock on a file shows at once that a leader has died. */
export const sqliteElection: ElectionProvider<SqliteElectionOptions> = sqliteElectionWithClock(hostClock());

/** The same provider, with this clock for leases. */
export function sqliteElectionWithClock(clock: LeaseClock): ElectionProvider<SqliteElectionOptions> {
  return {
    type: 'sqlite',
    options: { path: true },
    async open(options) {
      const { path, name } = options;
      if (!isFileName(path)) throw badOption('path', 'the name of a file');
      const file = await openFile(options);
      return new FileLeaseStore({ file, lock: new CrashLock(`${realFile(path)}-${name}-lock`), clock }, options);
    },
  };
}

/** Waits while another process creates or locks the file. Does not create a pool in it. */
async function openFile(options: LeaseStoreOptions & SqliteElectionOptions): Promise<SqlFile> {
  const { path, commandTimeoutMs, clock } = options;
  const waiting = { timeoutMs: commandTimeoutMs, clock: () => clock.monotonicMs(), signal: undefined };
  try {
    return await whileBusy(waiting, () =>
      openDatabase(
        { kind: poolKind, path, synchronous: 'NORMAL', create: true },
        (database) => database.exec(readSql('election/tables.sql')),
        (database) =>
          new SqlFile(database, readSql('election/lease-statements.sql'), readSql('election/statements.sql')),
      ),
    );
  } catch (error) {
    throw electionError(error);
  }
}
