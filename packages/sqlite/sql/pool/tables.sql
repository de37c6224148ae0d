-- Format 1 of a pool's file. Stages: 0 Pending, 1 Propagated, 2 Acknowledged, 3 Confirmed, 4 Finalized, 5 Dropped.
-- A block's tick is the number of blocks applied up to it; points are the slot as 8 bytes big-endian, then 32 bytes of hash.

-- One row: the settings, which seldom change. held: number of rows in the table held.
-- Of a fifo pool: capacity: maximum number of Pending, Propagated and Acknowledged transactions; the largest safe
-- integer means no limit. leases: number of rows in take_lease.
CREATE TABLE pool (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  epoch TEXT NOT NULL,
  max_finalized INTEGER NOT NULL,
  max_events INTEGER NOT NULL,
  max_rollback INTEGER NOT NULL,
  held INTEGER NOT NULL DEFAULT 0,
  capacity INTEGER NOT NULL DEFAULT 9007199254740991,
  leases INTEGER NOT NULL DEFAULT 0
);

-- One row for each call that changed something: its events (CBOR), the last of which has the number event_seq, and the counters of
-- the pool after the call. The newest row has the present counters, so a call writes one row for both.
-- floor: the first tick whose point is kept. at: the time of the call in milliseconds since 1970.
CREATE TABLE step (
  event_seq INTEGER PRIMARY KEY,
  count INTEGER NOT NULL,
  events BLOB NOT NULL,
  tick INTEGER NOT NULL,
  floor INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  propagated INTEGER NOT NULL,
  acknowledged INTEGER NOT NULL,
  confirmed INTEGER NOT NULL,
  logged INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  last_log_seq INTEGER NOT NULL,
  at INTEGER NOT NULL
);

-- One row for each hash that is live or in the log; never changed. checksum: CRC-32 of the hash and the payload. A fifo pool has the
-- unique index tx_hash (fifo/tables.sql).
CREATE TABLE tx (
  seq INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  type INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload BLOB NOT NULL
);

-- A transaction is in one of these three tables; else it is final, and its latest entry in log has its state. tick: of the block that
-- confirmed it, or at which it went in flight. Counters are differences to step.tick, so no block has to update them.
-- point: the confirming block; it may outlive that block's row in block.
-- received: when it was received; NULL if its record was damaged. attempts: how often it went out. sent: when it last went out. The order
-- by stage, tick and sent is that of time: blocks move the tick forward, and a rollback lowers the ticks behind its target.
CREATE TABLE pending (seq INTEGER PRIMARY KEY, received INTEGER, attempts INTEGER NOT NULL DEFAULT 0);
-- Pending, but held back until not_before, in milliseconds since 1970, or longer.
CREATE TABLE held (seq INTEGER PRIMARY KEY, not_before INTEGER NOT NULL, received INTEGER, attempts INTEGER NOT NULL);
CREATE INDEX held_until ON held (not_before);
CREATE TABLE inflight (
  seq INTEGER PRIMARY KEY,
  stage INTEGER NOT NULL,
  tick INTEGER NOT NULL,
  point BLOB,
  received INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  sent INTEGER
);
CREATE INDEX inflight_tick ON inflight (stage, tick, sent);

-- The terminal log. tx: seq of the row of tx with the payload; it is the latest one received under this hash.
-- ended: when the entry was written.
CREATE TABLE log (
  log_seq INTEGER PRIMARY KEY,
  tx INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  stage INTEGER NOT NULL,
  tick INTEGER NOT NULL,
  confirmations INTEGER NOT NULL,
  non_confirmations INTEGER NOT NULL,
  point BLOB,
  reason TEXT,
  received INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  ended INTEGER NOT NULL
);
CREATE INDEX log_tx ON log (tx);
CREATE INDEX log_finalized ON log (tick) WHERE stage = 4;

-- The points that a rollback can return to.
CREATE TABLE block (tick INTEGER PRIMARY KEY, point BLOB NOT NULL);
CREATE INDEX block_point ON block (point);

-- Every hash that a kept block included, for transactions that are received after their block.
CREATE TABLE sighting (hash BLOB PRIMARY KEY, tick INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX sighting_tick ON sighting (tick);

-- Recorded outcomes (CBOR) by operation id.
CREATE TABLE operation (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, outcome BLOB NOT NULL);

-- The import that filled the pool, or fills it (D3): at most one row. lines, digest: how far it has come in its file.
CREATE TABLE import (
  n INTEGER PRIMARY KEY CHECK (n = 1),
  id TEXT NOT NULL,
  lines INTEGER NOT NULL,
  digest TEXT NOT NULL,
  done INTEGER NOT NULL
);
