-- The statements of a fifo pool on the tables of fifo/tables.sql.

-- :putClaim
INSERT INTO take_lease (seq, id, owner, until) VALUES (?, ?, ?, ?)
-- :endClaim
DELETE FROM take_lease WHERE seq = ?
-- :countClaims
UPDATE pool SET leases = leases + ?
-- :allClaims
SELECT l.seq, l.id, l.owner, l.until, tx.hash FROM take_lease AS l LEFT JOIN tx ON tx.seq = l.seq ORDER BY l.seq
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
