-- The records of the application. name: UTF-8. checksum: of name, version and value. The rows are found in the order of the names.
CREATE TABLE record (name BLOB NOT NULL UNIQUE, version INTEGER NOT NULL, checksum INTEGER NOT NULL, value BLOB NOT NULL);

-- One row. last_version: of the last change of a record. bytes: of all names and values. at: the time of the last call that wrote here, in
-- milliseconds since 1970.
CREATE TABLE record_total (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_version INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  at INTEGER NOT NULL
);
INSERT INTO record_total VALUES (1, 0, 0, 0);
