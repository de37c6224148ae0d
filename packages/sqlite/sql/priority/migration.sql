-- From format 1001 to 1002, after pool/migration.sql: what priority/tables.sql has and older files have not.

-- Every process loads the pool again, because the changes are in the old format.
DELETE FROM change;
UPDATE priority_pool SET version = version + 1;
