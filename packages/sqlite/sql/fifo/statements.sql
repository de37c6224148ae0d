-- The statements of a fifo pool. Those of file/statements.sql and pool/statements.sql are used too.

-- :pendingEntries
SELECT p.seq, tx.hash, length(tx.payload) AS bytes, p.received AS receivedAt, p.attempts
FROM pending AS p LEFT JOIN tx ON tx.seq = p.seq ORDER BY p.seq
-- Both lists after a seq, merged while reading: of neither more is read than the page takes.
-- :since
SELECT w.seq, tx.hash, w.stage, w.tick, NULL AS point, tx.type, tx.checksum, tx.payload
FROM (
  SELECT seq, 0 AS stage, 0 AS tick FROM pending WHERE seq > @after
  UNION ALL SELECT seq, stage, tick FROM inflight WHERE seq > @after AND stage < 3
  ORDER BY seq LIMIT (SELECT @limit)
) AS w LEFT JOIN tx ON tx.seq = w.seq ORDER BY w.seq
-- :sinceHashes
SELECT w.seq, tx.hash, length(tx.payload) AS bytes
FROM (
  SELECT seq FROM pending WHERE seq > @after
  UNION ALL SELECT seq FROM inflight WHERE seq > @after AND stage < 3
  ORDER BY seq LIMIT (SELECT @limit)
) AS w LEFT JOIN tx ON tx.seq = w.seq ORDER BY w.seq
-- :liveBody
SELECT tx.seq, tx.hash, iif(p.seq IS NULL AND h.seq IS NULL, i.stage, 0) AS stage, coalesce(i.tick, 0) AS tick,
  iif(p.seq IS NULL, i.point, NULL) AS point, tx.type, tx.checksum, tx.payload
FROM tx LEFT JOIN pending AS p ON p.seq = tx.seq LEFT JOIN held AS h ON h.seq = tx.seq LEFT JOIN inflight AS i ON i.seq = tx.seq
WHERE tx.seq = (SELECT ?) AND (p.seq IS NOT NULL OR h.seq IS NOT NULL OR i.seq IS NOT NULL)
-- :due
SELECT h.seq, tx.hash, length(tx.payload) AS bytes, h.received AS receivedAt, h.attempts
FROM held AS h LEFT JOIN tx ON tx.seq = h.seq
WHERE h.not_before <= ? ORDER BY h.not_before, h.seq LIMIT (SELECT ?)

-- Claims and limits.
-- :putClaim
INSERT INTO take_lease (seq, id, owner, until) VALUES (?, ?, ?, ?)
-- :endClaim
DELETE FROM take_lease WHERE seq = ?
-- :countClaims
UPDATE pool SET leases = leases + ?
-- :claimRecord
SELECT id, owner, until FROM take_lease WHERE seq = ?
-- :endedClaims
SELECT l.seq, tx.hash, 0 AS bytes FROM take_lease AS l LEFT JOIN tx ON tx.seq = l.seq
WHERE l.until < ? ORDER BY l.until, l.seq LIMIT (SELECT ?)
-- :claimedBy
SELECT l.seq, tx.hash, length(tx.payload) AS bytes, i.received AS receivedAt, i.attempts
FROM take_lease AS l LEFT JOIN tx ON tx.seq = l.seq LEFT JOIN inflight AS i ON i.seq = l.seq
WHERE l.id = (SELECT ?) ORDER BY l.seq
-- :claim
SELECT max(until) AS untilMs, count(*) AS held FROM take_lease WHERE id = ?
-- :extendClaim
UPDATE take_lease SET until = ? WHERE id = ?
-- :claimOf
SELECT id FROM take_lease WHERE seq = ?
-- :setCapacity
UPDATE pool SET capacity = ?
