-- The statements on the tables of pool/record-tables.sql.

-- :recordTotals
SELECT last_version AS lastVersion, bytes FROM record_total
-- :setRecordTotals
UPDATE record_total SET last_version = ?, bytes = ?
-- :setRecordTime
UPDATE record_total SET at = ?
-- :record
SELECT name, version, checksum, value FROM record WHERE name = ?
-- :formerRecord
SELECT version, length(name) + length(value) AS bytes FROM record WHERE name = ?
-- The names from one on, up to an end that no name reaches.
-- :recordsFrom
SELECT name, version, checksum, value FROM record WHERE name >= ? AND name < ? ORDER BY name
-- :putRecord
INSERT INTO record (name, version, checksum, value) VALUES (?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET version = excluded.version, checksum = excluded.checksum, value = excluded.value
-- :deleteRecord
DELETE FROM record WHERE name = ?
