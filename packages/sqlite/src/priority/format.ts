import type { Database } from 'better-sqlite3';
import { defaultLimits, type Limits } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { damaged, isCount, type Row } from '../file/row.ts';
import { readSql } from '../file/sql-text.ts';
import type { OrderedReads } from '../pool/exported-parts.ts';
import type { OrderedWrites } from '../pool/file-import.ts';
import type { PoolFile } from '../pool/pool-file.ts';

/** The row of the table `priority_pool`. */
export interface PoolHead {
  readonly limits: Limits;
  readonly lastGossipSeq: number;
  readonly version: number;
}

export function createPriorityTables(database: Database): void {
  database.exec(readSql('priority/tables.sql'));
  database.prepare("INSERT INTO priority_pool VALUES (1, 'priority', ?, 0, 0)").run(core.encodeLimits(defaultLimits));
}

/**
 * Stores the limits that this open names, and its retention with `nameRetention`. Both apply to all processes from now on. If anything
 * changes, every process loads the pool again, because a change record cannot describe it.
 */
export function storePriorityLimits(database: Database, named: Partial<Limits>, nameRetention: () => void): void {
  const settings = () => database.prepare(settingsSql).get() as Row;
  const before = settings();
  nameRetention();
  if (Object.keys(named).length > 0)
    database
      .prepare('UPDATE priority_pool SET limits = ?')
      .run(core.encodeLimits({ ...core.decodeLimits(String(before.limits)), ...named }));
  if (JSON.stringify(settings()) === JSON.stringify(before)) return;
  database.exec('DELETE FROM change; UPDATE priority_pool SET version = version + 1');
}

const settingsSql = 'SELECT limits, max_finalized, max_events, max_rollback FROM pool, priority_pool';

/** Reads the row of `priority_pool`. @throws `ERR_MEMPOOL_CORRUPT` if it is damaged */
export function decodeHead(row: Row | undefined): PoolHead {
  const { lastGossipSeq, version } = row ?? {};
  if (!isCount(lastGossipSeq) || !isCount(version)) throw damaged('state of the pool');
  return { limits: core.decodeLimits(String(row?.limits)), lastGossipSeq, version };
}

/** What an export reads of a priority pool only. */
export function exportReads(file: PoolFile): OrderedReads {
  return {
    ordering: 'priority',
    numbers() {
      const { limits, lastGossipSeq } = decodeHead(file.row('priorityPool'));
      return { limits, lastGossipSeq };
    },
    claim: () => null,
  };
}

/** What an import writes in a priority pool only. */
export function importWrites(file: PoolFile): OrderedWrites {
  return {
    numbers({ limits, lastGossipSeq }) {
      const head = decodeHead(file.row('priorityPool'));
      file.run('setLimits', core.encodeLimits({ ...head.limits, ...limits }));
      file.run('setVersion', head.version, lastGossipSeq);
    },
    entry: (entry) => file.run('putEntry', entry.seq, core.encodeEntry(entry)),
    satisfied: (tag, tick) => file.run('satisfy', tag, tick),
    replaced() {
      const { version, lastGossipSeq } = decodeHead(file.row('priorityPool'));
      file.run('setVersion', version + 1, lastGossipSeq);
      file.run('forgetChanges');
    },
  };
}
