-- Format 1 of a pool's file. Numbers of stages: 0 Pending, 1 Propagated, 2 Acknowledged, 3 Confirmed, 4 Finalized, 5 Dropped.

-- The one row of the pool: its name, its limits and every counter, so that no verb has to count.
CREATE TABLE pool (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  epoch TEXT NOT NULL,
  tick INTEGER NOT NULL DEFAULT 0,
  floor INTEGER NOT NULL DEFAULT 1,
  pending INTEGER NOT NULL DEFAULT 0,
  propagated INTEGER NOT NULL DEFAULT 0,
  acknowledged INTEGER NOT NULL DEFAULT 0,
  confirmed INTEGER NOT NULL DEFAULT 0,
  logged INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0,
  last_log_seq INTEGER NOT NULL DEFAULT 0,
  last_event_seq INTEGER NOT NULL DEFAULT 0,
  max_finalized INTEGER NOT NULL,
  max_events INTEGER NOT NULL,
  max_rollback INTEGER NOT NULL
);

-- One row for each hash that is live or in the log: its latest life. tick: at which it went in flight or was confirmed;
-- counters are differences to pool.tick. log_seq: its entry while it is final. The index on hash is made when the file is
-- opened to be shared, and dropped when one process has it to itself and keeps the hashes in memory.
CREATE TABLE tx (
  seq INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  stage INTEGER NOT NULL,
  tick INTEGER NOT NULL,
  type INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  log_seq INTEGER
);
CREATE INDEX tx_pending ON tx (stage) WHERE stage = 0;
CREATE INDEX tx_inflight ON tx (seq) WHERE stage IN (1, 2, 3);
CREATE INDEX tx_tick ON tx (stage, tick) WHERE stage IN (1, 2, 3, 4);

-- Payloads apart, so that a change of stage rewrites small rows only.
CREATE TABLE body (seq INTEGER PRIMARY KEY, payload BLOB NOT NULL);

-- The points that can be rolled back to (tick >= pool.floor), and older ones that a Confirmed transaction still needs.
-- point: slot as 8 bytes big-endian, then the 32 bytes of the block's hash.
CREATE TABLE block (tick INTEGER PRIMARY KEY, point BLOB NOT NULL);
CREATE INDEX block_point ON block (point);

-- Every hash a kept block carried, for transactions that are received after their block.
CREATE TABLE sighting (hash BLOB PRIMARY KEY, tick INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX sighting_tick ON sighting (tick);

-- The terminal log. Payload and type of an entry are those of its hash in tx.
CREATE TABLE log (
  log_seq INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  stage INTEGER NOT NULL,
  confirmations INTEGER NOT NULL,
  non_confirmations INTEGER NOT NULL,
  point BLOB,
  reason TEXT
);

-- The events of one call in one row (CBOR), the last of which has the number last_seq.
CREATE TABLE event (last_seq INTEGER PRIMARY KEY, count INTEGER NOT NULL, packed BLOB NOT NULL);

-- Recorded outcomes (CBOR) by operation id.
CREATE TABLE operation (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, outcome BLOB NOT NULL);
