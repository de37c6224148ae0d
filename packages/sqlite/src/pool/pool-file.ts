import type { Database } from 'better-sqlite3';
import type { Logger } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { SqlFile } from '../file/sql-file.ts';
import { readSql } from '../file/sql-text.ts';
import type { RecordKey } from './records.ts';

const statements = [readSql('election/lease-statements.sql'), readSql('pool/statements.sql')];

/** One connection to a pool's file. */
export class PoolFile extends SqlFile {
  readonly #log: Logger;
  readonly #reported = new Set<number>();

  constructor(database: Database, log: Logger, ...texts: readonly string[]) {
    super(database, ...statements, ...texts);
    this.#log = log;
  }

  /** Returns the recorded outcome of an operation id; `null` if it is not known (X2). */
  findOperation<T>(verb: string, { operationId, digest }: core.WriteContext): { readonly outcome: T } | null {
    const row = operationId === undefined ? undefined : this.row('operation', operationId);
    return row === undefined ? null : { outcome: core.decodeOutcome<T>(verb, row.outcome as Uint8Array, digest) };
  }

  /** Reports a damaged record (M2). It reports each record once, because every block may read it again. */
  reportDamage({ hash, seq }: RecordKey): null {
    if (!this.#reported.has(seq)) this.#log('warn', `a record is damaged (seq ${seq})`, { hash, seq });
    this.#reported.add(seq);
    return null;
  }
}
