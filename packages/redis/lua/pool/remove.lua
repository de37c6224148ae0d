-- Purpose: removes the pool and its election, by the names of their keys.
-- KEYS: 1–15 as in pool/open.lua for a priority pool, 16 the election's members, then all other keys that either may have
-- ARGV: 1 pool, 2 prefix of the heartbeats, whose names come from the members, so that they cannot be among KEYS
-- Returns: how many keys there were, also if `meta` is gone. Errors, with nothing removed: MEMPOOL_FORMAT, MEMPOOL_POOL, MEMPOOL_TYPE as pool/open.lua
-- Rules: D4, N2, X1
local types = { 'hash', 'zset', 'zset', 'hash', 'hash', 'hash', 'zset', 'stream', 'hash', 'hash', 'hash', 'hash',
  'hash', 'hash', 'stream', 'zset' }
for i, kind in ipairs(types) do
  local found = redis.call('TYPE', KEYS[i]).ok
  if found ~= kind and found ~= 'none' then return redis.error_reply('MEMPOOL_TYPE a key of another type is in its place: ' .. KEYS[i]) end
end
local format, name = unpack(redis.call('HMGET', KEYS[1], 'format', 'pool'))
if format and format ~= '1' and format ~= '1001' then
  return redis.error_reply('MEMPOOL_FORMAT it is stored in format ' .. format .. ', which this version does not know')
end
if name and name ~= ARGV[1] then return redis.error_reply('MEMPOOL_POOL the keys hold another pool: ' .. name) end
local removed = 0
for _, node in ipairs(redis.call('ZRANGEBYSCORE', KEYS[16], '-inf', '+inf')) do
  removed = removed + redis.call('UNLINK', ARGV[2] .. node)
end
return removed + redis.call('UNLINK', unpack(KEYS))
