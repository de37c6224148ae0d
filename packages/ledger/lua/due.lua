-- Purpose: finds reservations whose time has come, those due first before others.
-- KEYS: keys.lua   ARGV: 1 at most how many
-- Returns: members of `due`: seq in 16 digits, then the id
return call('ZRANGEBYSCORE', DUE, '-inf', whole(math.max(serverTime(), headAt)), 'LIMIT', 0, ARGV[1])
