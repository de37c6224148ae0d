-- The tables by which processes that write at the same time have one of them carry out the calls of all. Older builds do not know them,
-- and do no harm.

-- The latest intakes. name: of the socket where the process listens whose turn it is; '' if its turn was ended. scope: which processes
-- can reach each other and write with the same durability.
CREATE TABLE IF NOT EXISTS turn (n INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE, name TEXT NOT NULL);

-- The outcomes of the latest calls of other processes that have no operation id, one row for each transaction that carried some out
-- (CBOR), for a process that got no answer. total: bytes of all rows up to this one, deleted ones included.
CREATE TABLE IF NOT EXISTS served (n INTEGER PRIMARY KEY, total INTEGER NOT NULL, calls BLOB NOT NULL);
