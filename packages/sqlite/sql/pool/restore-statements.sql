-- What `restore` writes beside what other calls write. A new pool has one step, the first.
-- :restoreStep
UPDATE step SET tick = @tick, floor = @floor, pending = @pending, propagated = @propagated, acknowledged = @acknowledged,
  confirmed = @confirmed, logged = @logged, last_seq = @lastSeq, last_log_seq = @lastLogSeq, at = @lastAt
-- :restoreLog
INSERT INTO log (log_seq, tx, seq, hash, stage, tick, confirmations, non_confirmations, point, reason,
  received, attempts, ended)
VALUES (@logSeq, @tx, @seq, @hash, @stage, @tick, @confirmations, @nonConfirmations, @point, @reason,
  @receivedAt, @attempts, @at)
