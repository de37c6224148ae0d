import type { Database } from 'better-sqlite3';
import * as core from 'mempool-core/backend';
import { SqlFile } from '../file/sql-file.ts';
import { readSql } from '../file/sql-text.ts';
import type { RecordKey } from './records.ts';

const statements = [readSql('election/lease-statements.sql'), readSql('pool/statements.sql')];

/** One connection to a pool's file. */
export class PoolFile extends SqlFile {
  readonly #damage: core.DamageReport;

  constructor(database: Database, damage: core.DamageReport, ...texts: readonly string[]) {
    super(database, ...statements, ...texts);
    this.#damage = damage;
  }

  /** Returns the recorded outcome of an operation id; `null` if it is not known (X2). */
  findOperation<T>(verb: string, { operationId, digest }: core.WriteContext): { readonly outcome: T } | null {
    const row = operationId === undefined ? undefined : this.row('operation', operationId);
    return row === undefined ? null : { outcome: core.decodeOutcome<T>(verb, row.outcome as Uint8Array, digest) };
  }

  /** Reports a damaged record (M2). */
  reportDamage(place: RecordKey): null {
    this.#damage(place);
    return null;
  }
}
