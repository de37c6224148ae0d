-- Leases of elections, and who takes part. In files of format 1, made when a pool or an election opens one without.
-- Times are milliseconds of the host's monotonic clock; clock says which one: the boot and the time namespace, NULL if unknown.

-- One row for each election that ever had a leader. token is NULL while nobody holds the lease; term stays, it never falls.
-- holds_lock: 1 where the holder also holds the lock of the file <pool's file>-<name>-lock, which it loses when it dies.
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

-- One row for each node that sent a heartbeat; whoever wins removes those that are out of their time.
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
