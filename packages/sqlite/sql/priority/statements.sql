-- The statements of priority pools, by name. Those of file/statements.sql and pool/statements.sql are used too.

-- :priorityPool
SELECT ordering, limits, gossip_seq AS lastGossipSeq, version FROM priority_pool
-- :version
SELECT version FROM priority_pool
-- :setVersion
UPDATE priority_pool SET version = ?, gossip_seq = ?
-- :setLimits
UPDATE priority_pool SET limits = ?

-- :putEntry
INSERT OR REPLACE INTO entry (seq, record) VALUES (?, ?)
-- :deleteEntry
DELETE FROM entry WHERE seq = ?
-- :satisfy
INSERT OR REPLACE INTO satisfied (tag, tick) VALUES (?, ?)
-- :forgetTag
DELETE FROM satisfied WHERE tag = ?
-- :body
SELECT hash, type, checksum, payload FROM tx WHERE seq = ?

-- Changes.
-- :changes
SELECT version, record FROM change WHERE version > ? ORDER BY version
-- :changeTotal
SELECT total FROM change ORDER BY version DESC LIMIT 1
-- :putChange
INSERT INTO change (version, total, record) VALUES (?, ?, ?)
-- :forgetChanges
DELETE FROM change
-- :trimChange
DELETE FROM change
WHERE version = (SELECT version FROM change ORDER BY version LIMIT 1) AND (version <= ? OR total - length(record) < ?)
