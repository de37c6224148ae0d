-- The tables of a priority pool beside those of pool/tables.sql; a fifo pool has none of them. The file's header has a format of its
-- own. There is no index tx_hash: every process that has the file open keeps the pool in memory, without its payloads.

-- One row. limits: JSON, null for no limit. gossip_seq: the newest one given out. version: number of calls that changed the pool.
CREATE TABLE priority_pool (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ordering TEXT NOT NULL,
  limits TEXT NOT NULL,
  gossip_seq INTEGER NOT NULL,
  version INTEGER NOT NULL
);

-- One row for each row of tx: verdict, sources, times and claim of the transaction (CBOR). The order is not stored: it follows from
-- these.
CREATE TABLE entry (seq INTEGER PRIMARY KEY, record BLOB NOT NULL);

-- Tags that a block has satisfied, with the tick of the block.
CREATE TABLE satisfied (tag TEXT PRIMARY KEY, tick INTEGER NOT NULL) WITHOUT ROWID;

-- The changes of the latest calls (CBOR), for the mirrors of other processes. A process that is too far behind reads the whole pool
-- again. total: bytes of all records up to this one, deleted ones included.
CREATE TABLE change (version INTEGER PRIMARY KEY, total INTEGER NOT NULL, record BLOB NOT NULL);
