-- KEYS: keys.lua   ARGV: 1 id
-- Returns: its two values, or nothing
local known, balance = call('HGET', WALLETS, ARGV[1]), call('HGET', BALANCES, ARGV[1])
return known and balance and { known, balance } or {}
