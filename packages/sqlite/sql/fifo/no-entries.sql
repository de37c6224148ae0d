-- Empty tables in place of those that a fifo pool has not, so that pool/load-statements.sql reads pools of both orderings.
CREATE TEMP TABLE IF NOT EXISTS entry (seq INTEGER PRIMARY KEY, record BLOB);
CREATE TEMP TABLE IF NOT EXISTS satisfied (tag TEXT PRIMARY KEY, tick INTEGER);
