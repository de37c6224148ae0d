-- KEYS: keys.lua   ARGV: 1 name
-- Returns: the number of its last reservation, or 0
local value = call('HGET', SERIES, ARGV[1])
return value and tonumber((string.match(value, '^%d+'))) or 0
