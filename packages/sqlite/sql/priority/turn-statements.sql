-- The statements for calls that processes leave to each other, by name.

-- :turn
SELECT name FROM turn WHERE scope = ?
-- :takeTurn
INSERT OR REPLACE INTO turn (n, scope, name) SELECT ifnull(max(n), 0) + 1, ?, ? FROM turn
-- :trimTurns
DELETE FROM turn WHERE n <= (SELECT max(n) FROM turn) - ?
-- :endTurn
UPDATE turn SET name = '' WHERE name = ?
-- :lastServed
SELECT n, total FROM served ORDER BY n DESC LIMIT 1
-- :operationRange
SELECT (SELECT min(n) FROM operation) AS first, (SELECT max(n) FROM operation) AS last
-- :putServed
INSERT INTO served (n, total, calls) VALUES (?, ?, ?)
-- :trimServed
DELETE FROM served WHERE n <= ? OR total <= ?
-- :servedAfter
SELECT n, calls FROM served WHERE n > ? ORDER BY n
