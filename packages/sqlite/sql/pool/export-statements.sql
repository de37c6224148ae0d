-- What an export reads, with payloads. `entry` and `satisfied` are tables of a priority pool; for a fifo pool they are temporary and
-- empty (fifo/no-entries.sql).
-- :exportLive
SELECT tx.seq, tx.hash, iif(p.seq IS NULL AND h.seq IS NULL, i.stage, 0) AS stage, coalesce(i.tick, 0) AS tick,
  iif(p.seq IS NULL, i.point, NULL) AS point, coalesce(p.received, h.received, i.received) AS receivedAt,
  coalesce(p.attempts, h.attempts, i.attempts, 0) AS attempts, i.sent AS sentAt, tx.type, tx.checksum, tx.payload,
  h.not_before AS notBefore, e.record
FROM tx LEFT JOIN pending AS p ON p.seq = tx.seq LEFT JOIN held AS h ON h.seq = tx.seq LEFT JOIN inflight AS i ON i.seq = tx.seq
  LEFT JOIN entry AS e ON e.seq = tx.seq
WHERE p.seq IS NOT NULL OR h.seq IS NOT NULL OR i.seq IS NOT NULL
ORDER BY tx.seq
-- isLast: the transaction is not live, and this is its latest entry.
-- :exportLog
SELECT l.log_seq AS logSeq, l.seq, l.hash, l.stage, l.tick, l.confirmations, l.non_confirmations AS nonConfirmations,
  l.point, l.reason, l.received AS receivedAt, l.attempts, l.ended AS at, tx.type, tx.checksum, tx.payload, e.record,
  l.log_seq = (SELECT max(log_seq) FROM log WHERE tx = l.tx) AND NOT EXISTS (SELECT 1 FROM pending WHERE seq = l.tx)
    AND NOT EXISTS (SELECT 1 FROM held WHERE seq = l.tx)
    AND NOT EXISTS (SELECT 1 FROM inflight WHERE seq = l.tx) AS isLast
FROM log AS l LEFT JOIN tx ON tx.seq = l.tx LEFT JOIN entry AS e ON e.seq = l.tx ORDER BY l.log_seq
-- :exportBlocks
SELECT tick, point FROM block ORDER BY tick
-- :exportInclusions
SELECT hash FROM sighting WHERE tick = ? ORDER BY hash
-- :exportSatisfied
SELECT tag, tick FROM satisfied ORDER BY tag
