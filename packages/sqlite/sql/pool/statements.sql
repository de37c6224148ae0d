-- The statements of every pool, by name. Those of file/statements.sql are used too. `pool-file.ts` reads this file.
-- `(SELECT ?)` in place of `?`: SQLite (STAT4) looks at a value bound beside a LEFT JOIN, in a LIMIT or for min(), and so prepares the
-- statement again at each call, which costs more than a row.

-- Restarts the time of the lease (X6); its seq stays.
-- :extendLease
UPDATE lease SET expires = ? + ttl, clock = ? WHERE name = ?

-- The present state of the pool.
-- :pool
SELECT tick, floor, pending, propagated, acknowledged, confirmed, logged, last_seq AS lastSeq,
  last_log_seq AS lastLogSeq, event_seq AS lastEventSeq, max_finalized AS maxFinalized, max_events AS maxEvents,
  max_rollback AS maxRollback, max(at, (SELECT at FROM record_total)) AS lastAt, epoch, held, capacity, leases,
  (SELECT count(*) FROM import WHERE done = 0) AS importing
FROM pool, step ORDER BY event_seq DESC LIMIT 1
-- Whether an import into the pool has begun and not ended.
-- :importing
SELECT done = 0 AS importing FROM import
-- :step
INSERT INTO step (event_seq, count, events, tick, floor, pending, propagated, acknowledged, confirmed, logged,
  last_seq, last_log_seq, at)
VALUES (@lastEventSeq, @count, @events, @tick, @floor, @pending, @propagated, @acknowledged, @confirmed, @logged,
  @lastSeq, @lastLogSeq, @at)
-- :trimSteps
DELETE FROM step WHERE event_seq <= ?
-- :events
SELECT event_seq AS lastSeq, count, events, at FROM step WHERE event_seq > ? ORDER BY event_seq
-- :oldestEvent
SELECT event_seq - count + 1 AS oldest FROM step ORDER BY event_seq LIMIT 1

-- States. A transaction in neither table is final: its latest log entry has its state.
-- :seqOf
SELECT seq FROM tx WHERE hash = ?
-- :seqsOf
SELECT named.value AS hash, t.seq AS number FROM json_each(?) AS named CROSS JOIN tx AS t ON t.hash = unhex(named.value)
-- :txState
SELECT s.seq, iif(p.seq IS NULL AND h.seq IS NULL, coalesce(i.stage, l.stage), 0) AS stage, coalesce(i.tick, l.tick, 0) AS tick,
  l.confirmations, l.non_confirmations AS nonConfirmations, coalesce(i.point, l.point) AS point, l.reason,
  h.not_before AS notBefore, l.seq IS NOT NULL AS isLogged,
  coalesce(p.received, h.received, i.received, l.received) AS receivedAt,
  coalesce(p.attempts, h.attempts, i.attempts, l.attempts, 0) AS attempts, i.sent AS sentAt
FROM (SELECT ? AS seq) AS s
  LEFT JOIN pending AS p ON p.seq = s.seq
  LEFT JOIN held AS h ON p.seq IS NULL AND h.seq = s.seq
  LEFT JOIN inflight AS i ON p.seq IS NULL AND h.seq IS NULL AND i.seq = s.seq
  LEFT JOIN log AS l ON p.seq IS NULL AND h.seq IS NULL AND i.seq IS NULL AND l.log_seq = (SELECT max(log_seq) FROM log WHERE tx = s.seq)
-- :aged
SELECT i.seq, tx.hash, i.stage, i.tick, i.received AS receivedAt, i.attempts, i.sent AS sentAt
FROM inflight AS i LEFT JOIN tx ON tx.seq = i.seq
WHERE (i.stage = 3 AND i.tick <= ?) OR (i.stage = 1 AND i.tick <= ?) OR (i.stage = 2 AND i.tick <= ?)
-- :waitingAfter
SELECT i.seq, tx.hash, i.stage, i.tick, i.received AS receivedAt, i.attempts, i.sent AS sentAt
FROM inflight AS i LEFT JOIN tx ON tx.seq = i.seq
WHERE (i.stage = 1 AND i.tick > ?) OR (i.stage = 2 AND i.tick > ?)
-- Propagated and Acknowledged in the order in which they went out (pool/tables.sql): tick after tick, each by time and seq.
-- :nextTick
SELECT min(tick) AS tick FROM inflight WHERE stage = (SELECT ?) AND tick > (SELECT ?)
-- :sentBefore
SELECT i.seq, tx.hash, i.stage, i.tick, i.received AS receivedAt, i.attempts, i.sent AS sentAt
FROM inflight AS i LEFT JOIN tx ON tx.seq = i.seq
WHERE i.stage = (SELECT ?) AND i.tick = (SELECT ?) AND i.sent < (SELECT ?) ORDER BY i.sent, i.seq LIMIT (SELECT ?)
-- :isSentFrom
SELECT 1 AS found FROM inflight WHERE stage = ? AND tick = ? AND sent >= ? LIMIT 1
-- :confirmedAfter
SELECT i.seq, tx.hash, i.stage, i.tick, i.received AS receivedAt, i.attempts, i.sent AS sentAt
FROM inflight AS i LEFT JOIN tx ON tx.seq = i.seq
WHERE i.stage = 3 AND i.tick > ?
-- :finalizedAfter
SELECT l.seq, l.hash, l.stage, l.tick, l.confirmations, l.non_confirmations AS nonConfirmations, l.reason,
  l.received AS receivedAt, l.attempts
FROM log AS l
WHERE l.stage = 4 AND l.tick > ? AND l.log_seq = (SELECT max(log_seq) FROM log WHERE tx = l.tx)
  AND NOT EXISTS (SELECT 1 FROM pending WHERE seq = l.tx)
  AND NOT EXISTS (SELECT 1 FROM held WHERE seq = l.tx) AND NOT EXISTS (SELECT 1 FROM inflight WHERE seq = l.tx)

-- :recount
SELECT (SELECT count(*) FROM pending) + (SELECT count(*) FROM held) AS pending, (SELECT count(*) FROM held) AS held,
  (SELECT count(*) FROM inflight WHERE stage = 1) AS propagated,
  (SELECT count(*) FROM inflight WHERE stage = 2) AS acknowledged,
  (SELECT count(*) FROM inflight WHERE stage = 3) AS confirmed

-- Moves.
-- :insertTx
INSERT INTO tx (seq, hash, type, checksum, payload) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
-- :deleteTx
DELETE FROM tx WHERE seq = ?
-- For runs of new transactions. Returning transactions are inserted one by one: their row in tx may be lost (O2).
-- :insertPending
INSERT INTO pending (seq, received) SELECT seq, ? FROM tx WHERE seq BETWEEN ? AND ?
-- :returnPending
INSERT INTO pending (seq, received, attempts) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
-- :deletePending
DELETE FROM pending WHERE seq = ?
-- :hold
INSERT INTO held (seq, not_before, received, attempts) VALUES (?, ?, ?, ?)
-- :wake
DELETE FROM held WHERE seq = ?
-- :countHeld
UPDATE pool SET held = ?
-- :putInflight
INSERT INTO inflight (seq, stage, tick, point, received, attempts, sent) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET stage = excluded.stage, tick = excluded.tick, point = excluded.point
-- :deleteInflight
DELETE FROM inflight WHERE seq = ?

-- Pages and single records. A payload that is missing is a damaged record, not an absent one.
-- :peekPending
SELECT p.seq, tx.hash, 0 AS stage, 0 AS tick, NULL AS point, p.received AS receivedAt, p.attempts, tx.type, tx.checksum,
  tx.payload
FROM pending AS p LEFT JOIN tx ON tx.seq = p.seq WHERE p.seq > (SELECT ?) ORDER BY p.seq LIMIT (SELECT ?)
-- :peekInflight
SELECT i.seq, tx.hash, i.stage, i.tick, i.point, i.received AS receivedAt, i.attempts, i.sent AS sentAt, tx.type, tx.checksum, tx.payload
FROM inflight AS i LEFT JOIN tx ON tx.seq = i.seq WHERE i.seq > (SELECT ?) ORDER BY i.seq LIMIT (SELECT ?)
-- :inflightOf
SELECT i.seq, i.stage, i.tick, i.point, i.received AS receivedAt, i.attempts, i.sent AS sentAt, tx.type, tx.checksum, tx.payload
FROM tx CROSS JOIN inflight AS i ON i.seq = tx.seq WHERE tx.hash = (SELECT ?)
-- The terminal log.
-- :log
SELECT l.log_seq AS logSeq, l.seq, l.hash, l.stage, l.tick, l.confirmations, l.non_confirmations AS nonConfirmations,
  l.point, l.reason, l.received AS receivedAt, l.attempts, l.ended AS at, tx.type, tx.checksum, tx.payload
FROM log AS l LEFT JOIN tx ON tx.seq = l.tx WHERE l.log_seq >= (SELECT ?) ORDER BY l.log_seq LIMIT (SELECT ?)
-- :insertLog
INSERT INTO log (log_seq, tx, seq, hash, stage, tick, confirmations, non_confirmations, point, reason,
  received, attempts, ended)
VALUES (@logSeq, @seq, @seq, @hash, @stage, @tick, @confirmations, @nonConfirmations, @point, @reason,
  @receivedAt, @attempts, @at)
-- :repointLog
UPDATE log SET tx = ? WHERE tx = ?
-- The transactions that leave with the log entries up to one: not live, and without a later entry.
-- :expired
SELECT l.tx AS seq, CAST(l.hash AS BLOB) AS hash FROM log AS l
WHERE l.log_seq <= ? AND l.log_seq = (SELECT max(log_seq) FROM log WHERE tx = l.tx)
  AND NOT EXISTS (SELECT 1 FROM pending WHERE seq = l.tx)
  AND NOT EXISTS (SELECT 1 FROM held WHERE seq = l.tx) AND NOT EXISTS (SELECT 1 FROM inflight WHERE seq = l.tx)
-- :trimLog
DELETE FROM log WHERE log_seq <= ?

-- The chain.
-- :point
SELECT point FROM block WHERE tick = ?
-- :points
SELECT point FROM block ORDER BY tick DESC LIMIT (SELECT ?)
-- :tickOf
SELECT tick FROM block WHERE point = ?
-- :insertBlock
INSERT INTO block (tick, point) VALUES (?, ?)
-- :undoBlocks
DELETE FROM block WHERE tick > ?
-- :trimBlocks
DELETE FROM block WHERE tick < ?
-- Of a JSON array of hashes, those that a kept block included.
-- :inclusions
SELECT named.value AS hash, s.tick AS number FROM json_each(?) AS named CROSS JOIN sighting AS s ON s.hash = unhex(named.value)
-- :putInclusion
INSERT INTO sighting (hash, tick) VALUES (?, ?) ON CONFLICT DO NOTHING
-- :deleteInclusion
DELETE FROM sighting WHERE hash = ?
-- :undoInclusions
DELETE FROM sighting WHERE tick > ?
-- :trimInclusions
DELETE FROM sighting WHERE tick < ?

-- Operation ids.
-- :operation
SELECT outcome FROM operation WHERE id = ?
-- :recordOperation
INSERT INTO operation (id, outcome) VALUES (?, ?)
-- :trimOperations
DELETE FROM operation WHERE n <= ?
