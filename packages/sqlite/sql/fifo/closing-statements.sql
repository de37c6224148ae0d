-- The statement of a fifo pool on the column of fifo/closing.sql.

-- :setClosing
UPDATE pool SET accept_until = ?
