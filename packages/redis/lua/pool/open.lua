-- Purpose: creates the pool if there is none, checks that existing keys are ours, and stores the retention that this open names.
-- KEYS: pool/keys.lua, then calls and calls:old, and of a priority pool 13–15 of priority/changes.lua   ARGV: 1 pool, 2 epoch for a new pool,
-- 3–5 maxFinalized, maxEvents, maxRollback or '', 6–8 their defaults, then for fifo: 9 maxTxs, 'inf' for no limit, or '';
-- for priority: 9 limits of a new pool, 10 stamp
-- Mirrors cannot follow a change of retention: the changes are deleted, so that every mirror is loaded again.
-- Returns: { epoch, number of the last event }. Errors: MEMPOOL_FORMAT as in pool/keys.lua, MEMPOOL_POOL <name of the pool it holds>,
-- MEMPOOL_LOST (there are keys of a pool, but `meta` is missing: evicted or deleted)
-- MEMPOOL_TYPE <key of another type>
-- Rules: N2
local types = { 'hash', 'zset', 'zset', 'hash', 'hash', 'hash', 'zset', 'stream', 'hash', 'hash', 'hash', 'hash',
  'hash', 'hash', 'stream' }
for i = 1, #KEYS do
  local found = call('TYPE', KEYS[i]).ok
  if found ~= types[i] and found ~= 'none' then return redis.error_reply('MEMPOOL_TYPE a key of another type is in its place: ' .. KEYS[i]) end
end
local format, name = unpack(call('HMGET', META, 'format', 'pool'))
local ranked = KEYS[15]
if format and format ~= FORMAT then return misfit(format) end
if name and name ~= ARGV[1] then return redis.error_reply('MEMPOOL_POOL the keys hold another pool: ' .. name) end
if not format and call('EXISTS', string.sub(META, 1, -5) .. 'records', unpack(KEYS)) > 0 then return redis.error_reply('MEMPOOL_LOST its key meta is gone, evicted or deleted: delete its other keys to begin anew') end
call('HDEL', META, '-')
if not format then
  call('HSET', META, 'format', FORMAT, 'pool', ARGV[1], 'epoch', ARGV[2], 'seq', 0, 'tick', 0, 'floor', 1, 'tip', '',
    'logSeq', 0, 'logFirst', 1, 'eventSeq', 0, 'at', 0, 'largest', 0)
end
if not format and ranked then
  call('HSET', META, 'ordering', 'priority', 'version', 0, 'stamp', ARGV[10], 'gossipSeq', 0, 'limits', ARGV[9])
end
if not ranked and ARGV[9] == 'inf' then
  call('HDEL', META, 'maxTxs')
elseif not ranked and ARGV[9] ~= '' then
  call('HSET', META, 'maxTxs', ARGV[9])
end
local fields, changed = { 'maxFinalized', 'maxEvents', 'maxRollback' }, false
for i, field in ipairs(fields) do
  changed = changed or ARGV[2 + i] ~= '' and ARGV[2 + i] ~= call('HGET', META, field)
  if ARGV[2 + i] ~= '' then
    call('HSET', META, field, ARGV[2 + i])
  elseif not format then
    call('HSET', META, field, ARGV[5 + i])
  end
end
if format and ranked and changed then
  call('UNLINK', ranked)
  call('HSET', META, 'version', call('HGET', META, 'version') + 1, 'stamp', ARGV[10])
end
return call('HMGET', META, 'epoch', 'eventSeq')
