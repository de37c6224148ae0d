-- The statements that every file uses.

-- :beginRead
BEGIN DEFERRED
-- :beginWrite
BEGIN IMMEDIATE
-- :commit
COMMIT
-- :rollback
ROLLBACK
-- :dataVersion
PRAGMA data_version
-- :freePages
PRAGMA freelist_count
-- :pageSize
PRAGMA page_size
-- :synchronous
PRAGMA synchronous
-- :checkpoint
PRAGMA wal_checkpoint(TRUNCATE)
