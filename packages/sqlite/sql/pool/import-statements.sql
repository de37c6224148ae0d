-- What an import writes beside what other calls write. A new pool has one step, the first.
-- :importMark
SELECT id, lines, digest, done FROM import
-- :putImportMark
INSERT INTO import (n, id, lines, digest, done) VALUES (1, @id, @lines, @digest, @done)
ON CONFLICT DO UPDATE SET lines = excluded.lines, digest = excluded.digest, done = excluded.done
-- :importNumbers
UPDATE step SET tick = @tick, floor = @floor, last_seq = @lastSeq, last_log_seq = @lastLogSeq, at = @lastAt
-- :importRetention
UPDATE pool SET max_finalized = @maxFinalized, max_events = @maxEvents, max_rollback = @maxRollback
-- :importCounts
UPDATE step SET pending = @pending, propagated = @propagated, acknowledged = @acknowledged, confirmed = @confirmed,
  logged = (SELECT count(*) FROM log)
-- :importLog
INSERT INTO log (log_seq, tx, seq, hash, stage, tick, confirmations, non_confirmations, point, reason,
  received, attempts, ended)
VALUES (@logSeq, @seq, @seq, @hash, @stage, @tick, @confirmations, @nonConfirmations, @point, @reason,
  @receivedAt, @attempts, @at)
-- Entries of former lives, whose hash has a row with a later seq.
-- :formerLife
SELECT 1 AS found FROM log WHERE NOT EXISTS (SELECT 1 FROM tx WHERE tx.seq = log.tx) LIMIT 1
-- :repointFormerLives
UPDATE log SET tx = ifnull((SELECT tx.seq FROM tx WHERE tx.hash = log.hash), tx)
WHERE NOT EXISTS (SELECT 1 FROM tx WHERE tx.seq = log.tx)
