-- What a priority pool's file has beside the tables of pool/tables.sql; a pool in order of arrival has none of it. Such a file has a
-- format of its own in its header, which builds that know no priority pools refuse. It never has the index tx_hash: every
-- process that has it open keeps the pool without its payloads in memory.

-- One row. limits: JSON, null for no limit. gossip_seq: the newest given out. version: counts the calls that changed anything.
CREATE TABLE priority_pool (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ordering TEXT NOT NULL,
  limits TEXT NOT NULL,
  gossip_seq INTEGER NOT NULL,
  version INTEGER NOT NULL
);

-- One row for each row of tx: verdict, sources, times and lease of the transaction (CBOR). Places in the order are not kept:
-- they follow from these.
CREATE TABLE entry (seq INTEGER PRIMARY KEY, record BLOB NOT NULL);

-- Tags that a block satisfied, with its tick.
CREATE TABLE satisfied (tag TEXT PRIMARY KEY, tick INTEGER NOT NULL) WITHOUT ROWID;

-- The latest calls (CBOR), for the processes that have not seen them; one that comes too late reads the whole pool again.
-- total: bytes of all records up to this one, those that are gone included.
CREATE TABLE change (version INTEGER PRIMARY KEY, total INTEGER NOT NULL, record BLOB NOT NULL);
