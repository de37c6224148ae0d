-- Purpose: creates the ledger if there is none, and checks that every key is of the right type.
-- KEYS: keys.lua   ARGV: 1 the digest before the first record, 2 '1' to create it or ''
-- Errors: LEDGER_TYPE <key of another type>, LEDGER_FORMAT <format>, LEDGER_LOST <meta> (there are keys of a ledger, but `meta` is missing)
local types = { 'hash', 'stream', 'hash', 'hash', 'hash', 'zset', 'hash', 'zset', 'hash', 'hash', 'hash' }
for i, kind in ipairs(types) do
  local found = call('TYPE', KEYS[i]).ok
  if found ~= kind and found ~= 'none' then fail('TYPE ' .. KEYS[i]) end
end
call('HDEL', META, '-')
local known = call('HGET', META, 'format')
if known and known ~= FORMAT then fail('FORMAT ' .. known) end
if known or ARGV[2] == '' then return 'OK' end
if call('EXISTS', unpack(KEYS)) > 0 then fail('LOST ' .. META) end
call('HSET', META, 'format', FORMAT, 'seq', 0, 'at', 0, 'digest', ARGV[1], 'first', 1, 'before', ARGV[1], 'ids', 0, 'wallets', 0, 'marks', 0)
return 'OK'
