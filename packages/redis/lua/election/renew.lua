-- Purpose: restarts the lease's time, if it is live and exactly this one.
-- KEYS: election/state.lua   ARGV: election/hold.lua, 7 term, 8 'beat' or 'still'
-- Returns: { 'renewed', lease } | { 'lost', the live lease or nil, term }
if not mine or lease[3] ~= ARGV[7] then return { 'lost', held and view() or false, digits(stored) } end
write(ARGV[8], prolong)
return { 'renewed', view() }
