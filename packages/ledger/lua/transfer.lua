-- KEYS: keys.lua   ARGV: 1 id
-- Returns: the record as record.lua has it, or nothing
local value = call('HGET', IDS, ARGV[1])
return value and view(readStored(value)) or {}
