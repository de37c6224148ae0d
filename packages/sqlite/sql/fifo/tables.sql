-- What a pool in order of arrival has beside pool/tables.sql from its first take or limit on, and never before: until then its file
-- is what format 1 always was.

-- capacity: how many may be Pending, Propagated or Acknowledged; the largest safe integer for no limit. leases: rows in take_lease.
ALTER TABLE pool ADD COLUMN capacity INTEGER NOT NULL DEFAULT 9007199254740991;
ALTER TABLE pool ADD COLUMN leases INTEGER NOT NULL DEFAULT 0;

-- One row for each transaction that is Propagated because somebody took it: whatever else becomes of it removes the row. id:
-- the operation id of that call. until: milliseconds since 1970.
CREATE TABLE take_lease (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, owner TEXT NOT NULL, until INTEGER NOT NULL);
CREATE INDEX take_lease_until ON take_lease (until);
