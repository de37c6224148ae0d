-- A ledger. Format 1. Created when a ledger opens a file without it. The rules in mempool-ledger decide; what the constraints here
-- refuse would be a mistake in them. 9223372036854775807 is 2^63 − 1, the most that a column can hold.

-- One row. name: of the ledger. base_seq, base_at, base_digest: of the last record that was trimmed; 0 and zeros if none was.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  base_seq INTEGER NOT NULL CHECK (base_seq >= 0),
  base_at INTEGER NOT NULL CHECK (base_at >= 0),
  base_digest BLOB NOT NULL CHECK (length(base_digest) = 20)
) STRICT;

-- The history. type: 0 wallet, 1 tags, 2 close, 3 transfer. state, of a transfer and of nothing else: 0 refused, 1 pending, 2 posted,
-- 3 voided, 4 expired. Only the state of a reservation ever changes, and only away from pending.
CREATE TABLE record (
  seq INTEGER PRIMARY KEY CHECK (seq > 0),
  at INTEGER NOT NULL CHECK (at >= 0),
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 3),
  state INTEGER CHECK ((state IS NOT NULL) = (type = 3) AND state BETWEEN 0 AND 4),
  digest BLOB NOT NULL CHECK (length(digest) = 20),
  id TEXT NOT NULL,
  result TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX transfer_id ON record (id) WHERE type = 3;

-- seq: of the record that created the wallet. content: what it was created with. tags: a JSON array, those of now.
CREATE TABLE wallet (
  seq INTEGER PRIMARY KEY CHECK (seq > 0),
  version INTEGER NOT NULL CHECK (version >= seq),
  debits_posted INTEGER NOT NULL CHECK (debits_posted >= 0),
  credits_posted INTEGER NOT NULL CHECK (credits_posted >= 0),
  debits_pending INTEGER NOT NULL CHECK (debits_pending BETWEEN 0 AND 9223372036854775807 - debits_posted),
  credits_pending INTEGER NOT NULL CHECK (credits_pending BETWEEN 0 AND 9223372036854775807 - credits_posted),
  overdraft INTEGER NOT NULL CHECK (overdraft IN (0, 1)),
  closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
  created_at INTEGER NOT NULL CHECK (created_at >= 0),
  id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  tags TEXT NOT NULL,
  content TEXT NOT NULL,
  CONSTRAINT covered CHECK (overdraft = 1 OR debits_pending <= credits_posted - debits_posted)
) STRICT;
-- Both indexes end with seq, the order of pages.
CREATE INDEX wallet_owner ON wallet (owner);
CREATE TABLE tag (tag TEXT NOT NULL, wallet INTEGER NOT NULL, PRIMARY KEY (tag, wallet)) STRICT, WITHOUT ROWID;

-- What moved or was reserved in a wallet, by their seq.
CREATE TABLE history (wallet INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (wallet, seq)) STRICT, WITHOUT ROWID;

-- The pending reservations that may expire.
CREATE TABLE due (expires INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (expires, seq)) STRICT, WITHOUT ROWID;

-- How many refusals of an owner are recorded.
CREATE TABLE refusal (owner TEXT PRIMARY KEY, count INTEGER NOT NULL CHECK (count >= 0)) STRICT, WITHOUT ROWID;

-- What trimmed records had added up to.
CREATE TABLE opening (
  wallet TEXT PRIMARY KEY,
  debits_posted INTEGER NOT NULL,
  credits_posted INTEGER NOT NULL,
  debits_pending INTEGER NOT NULL,
  credits_pending INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a coupling keeps for a hash.
CREATE TABLE mark (coupling TEXT NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (coupling, hash)) STRICT, WITHOUT ROWID;
