-- Leases and members of elections. Created when a pool or an election opens a file without them.
-- Times are milliseconds of the host's monotonic clock. clock identifies it by the boot and the time namespace; NULL if unknown.

-- One row for each election that ever had a leader. token is NULL while nobody holds the lease. term never falls.
-- holds_lock: 1 if the holder also holds the lock of the file <pool's file>-<name>-lock, which it loses when it dies.
CREATE TABLE IF NOT EXISTS lease (
  name TEXT PRIMARY KEY,
  term INTEGER NOT NULL,
  node_id TEXT,
  token TEXT,
  seq INTEGER NOT NULL,
  hb_seq INTEGER NOT NULL,
  hb_at INTEGER NOT NULL,
  address TEXT,
  priority INTEGER NOT NULL,
  ttl INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  clock TEXT,
  holds_lock INTEGER NOT NULL
) WITHOUT ROWID;

-- One row for each node that sent a heartbeat. A win removes the expired ones.
CREATE TABLE IF NOT EXISTS member (
  election TEXT NOT NULL,
  node_id TEXT NOT NULL,
  address TEXT,
  priority INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  clock TEXT,
  PRIMARY KEY (election, node_id)
) WITHOUT ROWID;
