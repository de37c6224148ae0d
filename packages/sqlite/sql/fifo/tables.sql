-- The table and the index of a fifo pool in addition to those of pool/tables.sql.

CREATE UNIQUE INDEX tx_hash ON tx (hash);

-- One row for each transaction under a claim: it is Propagated because of a take. Any further change of it removes the row.
-- id: the operation id of the take. until: milliseconds since 1970.
CREATE TABLE take_lease (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, owner TEXT NOT NULL, until INTEGER NOT NULL);
CREATE INDEX take_lease_until ON take_lease (until);
