-- Purpose: removes the lease of this node and token, live or expired. The term stays.
-- KEYS: election/state.lua   ARGV: 1 node id, 2 token
-- Returns: 1 if it did, else 0
-- A lock that does not belong to the lease is left alone.
if lease[1] ~= ARGV[1] or lease[2] ~= ARGV[2] then return 0 end
if held then call('DEL', LOCK) end
call('DEL', LEASE)
-- The lease may be the only key that has the term.
call('SET', TERM, digits(stored))
tell('released ' .. lease[3] .. ' ' .. lease[1])
return 1
