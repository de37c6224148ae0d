-- An index that some imports need. The last page removes it.
CREATE INDEX IF NOT EXISTS import_hash ON tx (hash);
