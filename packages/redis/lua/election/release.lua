-- Purpose: ends the lease of this node and token, live or not. The term stays.
-- KEYS: election/state.lua   ARGV: 1 node id, 2 token
-- Returns: 1 where it did, else 0
-- A lock that is not the lease's is somebody else's doing, and left.
if lease[1] ~= ARGV[1] or lease[2] ~= ARGV[2] then return 0 end
if held then call('DEL', LOCK) end
call('DEL', LEASE)
-- The term may be known from the lease alone.
call('SET', TERM, digits(stored))
redis.pcall('PUBLISH', base .. 'events', 'released ' .. lease[3] .. ' ' .. lease[1])
return 1
