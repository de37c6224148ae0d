import { resolve } from 'node:path';
import { isFileName, openDatabase, whileBusy } from 'mempool-sqlite/backend';
import { badArgument, defineLedger, type LedgerBackend } from '../backend.ts';
import { ledgerError } from './error.ts';
import { LedgerFile, ledgerKind, prepareLedger } from './ledger-file.ts';
import { FileLedgerStore } from './ledger-store.ts';
import { patience } from './write-line.ts';

export interface SqliteLedgerOptions {
  /** The path of the ledger's file, which is not a pool's file. It is created if it is missing; its directory must exist. */
  readonly path: string;
  /**
   * With `full`, the default, answered calls survive a power cut. `normal` is faster. With it, answered calls survive a killed process,
   * but a power cut may undo the last ones.
   */
  readonly synchronous?: 'full' | 'normal' | undefined;
}

/**
 * A ledger in a file, shared between the processes of one host.
 *
 * @throws from `openLedger`: `ERR_LEDGER_ARGUMENT` naming the option, `ERR_LEDGER_INCOMPATIBLE` for a file of another kind, ledger or
 * format, `ERR_LEDGER_CORRUPT`, `ERR_LEDGER_REFUSED` without the right to write
 */
export const sqliteLedger: LedgerBackend<SqliteLedgerOptions> = defineLedger<SqliteLedgerOptions>({
  name: 'sqlite',
  options: { path: true, synchronous: true },
  async open(options) {
    const { path, synchronous = 'full', name } = options;
    if (!isFileName(path)) throw badArgument('path', 'the name of a file');
    if (synchronous !== 'full' && synchronous !== 'normal') throw badArgument('synchronous', "'full' or 'normal'");
    const how = { synchronous: synchronous === 'full' ? 'FULL' : 'NORMAL' } as const;
    const open = () =>
      openDatabase(
        { kind: ledgerKind, path, ...how, create: true },
        (database) => prepareLedger(database, resolve(path), name),
        (database) => new LedgerFile(database),
      );
    try {
      const file = await whileBusy(patience, open);
      return new FileLedgerStore(file, options);
    } catch (error) {
      throw ledgerError(error);
    }
  },
});
