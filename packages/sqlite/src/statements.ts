import type { Database, Statement } from 'better-sqlite3';

/** A transaction's latest life; the counters and the reason of a final one are those of its log entry. */
const life = `
  SELECT tx.seq, tx.hash, tx.stage, tx.tick, tx.log_seq AS logSeq,
    log.confirmations, log.non_confirmations AS nonConfirmations, log.reason, log.point
  FROM tx LEFT JOIN log ON log.log_seq = tx.log_seq`;

const record = `
  SELECT tx.seq, tx.hash, tx.stage, tx.tick, tx.type, tx.checksum, body.payload
  FROM tx LEFT JOIN body ON body.seq = tx.seq`;

const texts = {
  pool: `SELECT tick, floor, pending, propagated, acknowledged, confirmed, logged, last_seq AS lastSeq,
    last_log_seq AS lastLogSeq, last_event_seq AS lastEventSeq, max_finalized AS maxFinalized,
    max_events AS maxEvents, max_rollback AS maxRollback, epoch FROM pool`,
  savePool: `UPDATE pool SET tick = @tick, floor = @floor, pending = @pending, propagated = @propagated,
    acknowledged = @acknowledged, confirmed = @confirmed, logged = @logged, last_seq = @lastSeq,
    last_log_seq = @lastLogSeq, last_event_seq = @lastEventSeq`,

  lifeByHash: `${life} WHERE tx.hash = ?`,
  lifeBySeq: `${life} WHERE tx.seq = ?`,
  recordByHash: `${record} WHERE tx.hash = ?`,
  recordBySeq: `${record} WHERE tx.seq = ?`,
  pending: `${record} WHERE tx.stage = 0 AND tx.seq > ? ORDER BY tx.seq LIMIT ?`,
  inflight: `${record} WHERE tx.stage IN (1, 2, 3) AND tx.seq > ? ORDER BY tx.seq LIMIT ?`,
  upTo: `${life} WHERE tx.stage = ? AND tx.stage IN (1, 2, 3, 4) AND tx.tick <= ?`,
  since: `${life} WHERE tx.stage = ? AND tx.stage IN (1, 2, 3, 4) AND tx.tick > ?`,
  hashes: 'SELECT seq, hash FROM tx',
  insert: 'INSERT INTO tx (seq, hash, stage, tick, type, checksum) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  insertBody: 'INSERT INTO body (seq, payload) VALUES (?, ?)',
  update: 'UPDATE tx SET stage = ?, tick = ?, log_seq = ? WHERE seq = ?',
  clamp: 'UPDATE tx SET tick = ? WHERE seq = ?',
  remove: 'DELETE FROM tx WHERE seq = ?',
  removeLogged: 'DELETE FROM tx WHERE seq = ? AND log_seq = ?',
  removeBody: 'DELETE FROM body WHERE seq = ?',

  point: 'SELECT point FROM block WHERE tick = ?',
  points: 'SELECT point FROM block WHERE tick >= ? ORDER BY tick DESC LIMIT ?',
  tickOf: 'SELECT tick FROM block WHERE point = ? AND tick >= ?',
  insertBlock: 'INSERT INTO block (tick, point) VALUES (?, ?)',
  undoBlocks: 'DELETE FROM block WHERE tick > ?',
  trimBlocks: `DELETE FROM block WHERE tick >= ? AND tick < ?
    AND NOT EXISTS (SELECT 1 FROM tx WHERE tx.stage = 3 AND tx.stage IN (1, 2, 3, 4) AND tx.tick = block.tick)`,
  sighting: 'SELECT tick FROM sighting WHERE hash = ?',
  sight: 'INSERT INTO sighting (hash, tick) VALUES (?, ?) ON CONFLICT DO NOTHING',
  unsight: 'DELETE FROM sighting WHERE hash = ?',
  undoSightings: 'DELETE FROM sighting WHERE tick > ?',
  trimSightings: 'DELETE FROM sighting WHERE tick < ?',

  log: `SELECT log_seq AS logSeq, seq, hash, stage, confirmations, non_confirmations AS nonConfirmations, point, reason
    FROM log WHERE log_seq >= ? ORDER BY log_seq LIMIT ?`,
  insertLog: `INSERT INTO log (log_seq, seq, hash, stage, confirmations, non_confirmations, point, reason)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  oldestLog: 'SELECT log_seq AS logSeq, seq, hash FROM log ORDER BY log_seq LIMIT ?',
  trimLog: 'DELETE FROM log WHERE log_seq <= ?',

  events: 'SELECT last_seq AS lastSeq, count, packed FROM event WHERE last_seq > ? ORDER BY last_seq',
  oldestEvent: 'SELECT last_seq - count + 1 AS oldest FROM event ORDER BY last_seq LIMIT 1',
  insertEvents: 'INSERT INTO event (last_seq, count, packed) VALUES (?, ?, ?)',
  trimEvents: 'DELETE FROM event WHERE last_seq <= ?',

  operation: 'SELECT outcome FROM operation WHERE id = ?',
  recordOperation: 'INSERT INTO operation (id, outcome) VALUES (?, ?)',
  trimOperations: 'DELETE FROM operation WHERE n <= ?',

  dataVersion: 'PRAGMA data_version',
  beginRead: 'BEGIN DEFERRED',
  beginWrite: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
};

export type Statements = Readonly<Record<keyof typeof texts, Statement<unknown[], unknown>>>;

export function prepareStatements(database: Database): Statements {
  const prepared = Object.entries(texts).map(([name, text]) => [name, database.prepare(text)]);
  return Object.fromEntries(prepared) as Statements;
}
