-- The tables and columns that a fifo pool gets with its first take or limit. Until then its file has those of pool/tables.sql only,
-- as format 1 always had.

-- capacity: maximum number of Pending, Propagated and Acknowledged transactions; the largest safe integer for no limit.
-- leases: number of rows in take_lease.
ALTER TABLE pool ADD COLUMN capacity INTEGER NOT NULL DEFAULT 9007199254740991;
ALTER TABLE pool ADD COLUMN leases INTEGER NOT NULL DEFAULT 0;

-- One row for each transaction under a claim: it is Propagated because of a take. Any further change of it removes the row.
-- id: the operation id of the take. until: milliseconds since 1970.
CREATE TABLE take_lease (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, owner TEXT NOT NULL, until INTEGER NOT NULL);
CREATE INDEX take_lease_until ON take_lease (until);
