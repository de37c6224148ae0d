-- The statements of elections, by name. Those of file/statements.sql are used too.

-- :putLease
INSERT OR REPLACE INTO lease (name, term, node_id, token, seq, hb_seq, hb_at, address, priority, ttl, expires, clock, holds_lock)
VALUES (@name, @term, @nodeId, @token, @seq, @hbSeq, @hbAtMs, @address, @priority, @ttlMs, @expiresMs, @clock, @holdsLock)
-- The term stays.
-- :releaseLease
UPDATE lease SET node_id = NULL, token = NULL, address = NULL, holds_lock = 0 WHERE name = ? AND node_id = ? AND token = ?
-- :nowSeconds
SELECT unixepoch('subsec') AS nowSeconds

-- :putMember
INSERT OR REPLACE INTO member (election, node_id, address, priority, seen, expires, clock)
VALUES (@election, @nodeId, @address, @priority, @seenMs, @expiresMs, @clock)
-- Times of another clock cannot be compared.
-- :members
SELECT node_id AS nodeId, address, priority, seen AS seenMs, expires AS expiresMs FROM member
WHERE election = ? AND clock IS ? AND seen <= ? ORDER BY node_id
-- :trimMembers
DELETE FROM member WHERE election = ? AND (clock IS NOT ? OR expires <= ?)
