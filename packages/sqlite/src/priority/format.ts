import type { Database } from 'better-sqlite3';
import { defaultLimits, type Limits } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { damaged, isCount, type Row } from '../file/row.ts';
import { readSql } from '../file/sql-text.ts';

/** The one row of a priority pool's own. */
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
 * What this open names, beside what `nameRetention` writes, is in force for all processes from here on. Where that changes
 * anything, each of them reads the pool again: no call that they could repeat did it.
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

/** @throws `ERR_MEMPOOL_CORRUPT` */
export function decodeHead(row: Row | undefined): PoolHead {
  const { lastGossipSeq, version } = row ?? {};
  if (!isCount(lastGossipSeq) || !isCount(version)) throw damaged('state of the pool');
  return { limits: core.decodeLimits(String(row?.limits)), lastGossipSeq, version };
}
