-- Purpose: lists the members. The names of the heartbeat keys come from the list, so they cannot be among KEYS.
-- KEYS: election/state.lua
-- Returns: for each { node id, ms since its last heartbeat, the heartbeat as `<priority> <address>`, or nil if it has expired }
local reply, list = {}, call('ZRANGE', MEMBERS, 0, -1, 'WITHSCORES')
for i = 1, #list, 2 do
  local heartbeat = redis.pcall('GET', base .. 'heartbeat:' .. list[i])
  local told = type(heartbeat) == 'string' and heartbeat
  reply[#reply + 1] = { list[i], digits(math.max(0, nowMs - list[i + 1])), told }
end
return reply
