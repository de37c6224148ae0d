-- Purpose: lists who takes part. The heartbeats' names are told by the list, so they cannot be among the keys.
-- KEYS: election/state.lua
-- Returns: for each { node id, ms since it was heard of, its heartbeat as `<priority> <address>`, or nil where that expired }
local reply, list = {}, call('ZRANGE', MEMBERS, 0, -1, 'WITHSCORES')
for i = 1, #list, 2 do
  local heartbeat = redis.pcall('GET', base .. 'heartbeat:' .. list[i])
  local told = type(heartbeat) == 'string' and heartbeat
  reply[#reply + 1] = { list[i], digits(math.max(0, nowMs - list[i + 1])), told }
end
return reply
