DROP INDEX IF EXISTS import_hash;
