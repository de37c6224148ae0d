-- The statements that read a whole pool. `entry` and `satisfied` are tables of a priority pool; for a fifo pool they are temporary and
-- empty (fifo/no-entries.sql).

-- The whole pool, without its payloads.
-- :loadBlocks
SELECT tick, point FROM block ORDER BY tick
-- :loadInclusions
SELECT hash FROM sighting WHERE tick = ?
-- Their number; `loadLost` takes long, and is needed only if `loadLive` finds fewer.
-- :countPlaces
SELECT (SELECT count(*) FROM pending) + (SELECT count(*) FROM held) + (SELECT count(*) FROM inflight) AS places
-- :loadLost
SELECT seq, NULL AS hash FROM pending WHERE NOT EXISTS (SELECT 1 FROM tx WHERE tx.seq = pending.seq)
UNION ALL SELECT seq, NULL FROM held WHERE NOT EXISTS (SELECT 1 FROM tx WHERE tx.seq = held.seq)
UNION ALL SELECT seq, NULL FROM inflight WHERE NOT EXISTS (SELECT 1 FROM tx WHERE tx.seq = inflight.seq)
-- :loadLive
SELECT tx.seq, tx.hash, iif(p.seq IS NULL AND h.seq IS NULL, i.stage, 0) AS stage, coalesce(i.tick, 0) AS tick,
  iif(p.seq IS NULL, i.point, NULL) AS point, coalesce(p.received, h.received, i.received) AS receivedAt,
  coalesce(p.attempts, h.attempts, i.attempts, 0) AS attempts, i.sent AS sentAt, tx.type, length(tx.payload) AS bytes, h.not_before AS notBefore, e.record,
  (p.seq IS NOT NULL) + (h.seq IS NOT NULL) + (i.seq IS NOT NULL) AS places
FROM tx LEFT JOIN pending AS p ON p.seq = tx.seq LEFT JOIN held AS h ON h.seq = tx.seq LEFT JOIN inflight AS i ON i.seq = tx.seq
  LEFT JOIN entry AS e ON e.seq = tx.seq
WHERE p.seq IS NOT NULL OR h.seq IS NOT NULL OR i.seq IS NOT NULL OR NOT EXISTS (SELECT 1 FROM log WHERE tx = tx.seq)
ORDER BY tx.seq
-- isLast: the transaction is not live, and this is its latest entry.
-- :loadLog
SELECT l.log_seq AS logSeq, l.seq, l.hash, l.stage, l.tick, l.confirmations, l.non_confirmations AS nonConfirmations,
  l.point, l.reason, l.received AS receivedAt, l.attempts, l.ended AS at, tx.type, length(tx.payload) AS bytes, e.record,
  l.log_seq = (SELECT max(log_seq) FROM log WHERE tx = l.tx) AND NOT EXISTS (SELECT 1 FROM pending WHERE seq = l.tx)
    AND NOT EXISTS (SELECT 1 FROM held WHERE seq = l.tx)
    AND NOT EXISTS (SELECT 1 FROM inflight WHERE seq = l.tx) AS isLast
FROM log AS l LEFT JOIN tx ON tx.seq = l.tx LEFT JOIN entry AS e ON e.seq = l.tx WHERE l.log_seq >= ? ORDER BY l.log_seq
-- :loadSatisfied
SELECT tag, tick FROM satisfied
