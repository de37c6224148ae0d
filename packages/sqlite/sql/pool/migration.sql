-- From format 1 to 2, and from 1001 to 1002: what pool/tables.sql has and older files have not. Everything that this release stores
-- anew goes into this one step. Only statements that read no rows, except of transactions in flight: CREATE, and ALTER TABLE ADD COLUMN with a constant default. So the
-- time does not depend on the size of the pool.

ALTER TABLE pool ADD COLUMN format TEXT NOT NULL DEFAULT '2';
ALTER TABLE pool ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN at INTEGER;
CREATE TABLE held (seq INTEGER PRIMARY KEY, not_before INTEGER NOT NULL, received INTEGER, attempts INTEGER NOT NULL);
CREATE INDEX held_until ON held (not_before);

-- Facts of transactions: those of an older version have none.
ALTER TABLE pending ADD COLUMN received INTEGER;
ALTER TABLE pending ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inflight ADD COLUMN received INTEGER;
ALTER TABLE inflight ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inflight ADD COLUMN sent INTEGER;
-- The one statement that reads rows: those in flight.
DROP INDEX inflight_tick;
CREATE INDEX inflight_tick ON inflight (stage, tick, sent);
ALTER TABLE log ADD COLUMN received INTEGER;
ALTER TABLE log ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE log ADD COLUMN ended INTEGER;
