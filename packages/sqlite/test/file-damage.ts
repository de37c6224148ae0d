import { DatabaseSync } from 'node:sqlite';
import type { Damage } from 'mempool-conformance';

type Statement = readonly [sql: string, ...values: (string | number | Buffer)[]];

/** Changes bytes of one record of a pool's file, which nobody has open. */
export function damageFile(path: string, record: Damage): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const [sql, ...values] = statementOf(record);
    const { changes } = database.prepare(sql).run(...values);
    if (changes !== 1) throw new Error(`${changes} records damaged instead of one`);
  } finally {
    database.close();
  }
}

function statementOf(record: Damage): Statement {
  switch (record.kind) {
    case 'payload':
      return [`UPDATE tx SET payload = ${half('payload')} WHERE hash = ?`, Buffer.from(record.hash, 'hex')];
    case 'entry': {
      const sql = `UPDATE entry SET record = ${half('record')} WHERE seq = (SELECT seq FROM tx WHERE hash = ?)`;
      return [sql, Buffer.from(record.hash, 'hex')];
    }
    case 'state': {
      const sql = 'UPDATE inflight SET stage = stage + 16 WHERE seq = (SELECT seq FROM tx WHERE hash = ?)';
      return [sql, Buffer.from(record.hash, 'hex')];
    }
    case 'log':
      return ['UPDATE log SET stage = stage + 16 WHERE log_seq = ?', record.logSeq];
    case 'point':
      return [`UPDATE block SET point = ${half('point')} WHERE tick = ?`, record.tick];
    case 'event':
      return [`UPDATE step SET events = ${half('events')} WHERE event_seq = ?`, record.eventSeq];
    case 'record':
      return [`UPDATE record SET value = ${half('value')} WHERE name = ?`, Buffer.from(record.name)];
    case 'operation':
      return [`UPDATE operation SET outcome = ${half('outcome')} WHERE id = ?`, record.operationId];
    case 'lease':
      return ["UPDATE lease SET seq = 'damaged' WHERE name = 'watcher'"];
    case 'limit':
      return [`UPDATE priority_pool SET limits = ${half('limits')}`];
    case 'meta':
      return ["UPDATE step SET last_seq = 'damaged' WHERE event_seq = (SELECT max(event_seq) FROM step)"];
  }
}

function half(column: string): string {
  return `substr(${column}, 1, length(${column}) / 2)`;
}
