-- The column that a fifo pool gets when a time to close is first set.

-- accept_until: when the pool closes, in milliseconds since 1970; the largest safe integer for never.
ALTER TABLE pool ADD COLUMN accept_until INTEGER NOT NULL DEFAULT 9007199254740991;
