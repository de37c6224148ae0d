-- Purpose: puts back the lease of a store that lost its data: there is no lock, and the term is below this one.
-- KEYS: election/state.lua   ARGV: election/hold.lua, 7 term, 8 'beat' or 'still'
-- Returns: as election/renew.lua
-- A lease that is there already was put back by an earlier attempt whose answer was lost.
if mine and lease[3] == ARGV[7] then
  write(ARGV[8], prolong)
elseif owner or stored >= number(ARGV[7]) then
  return { 'lost', held and view() or false, digits(stored) }
else
  write(ARGV[8], take, ARGV[7])
  -- If they started from 1, they could reach a value that a follower saw before the loss: the lease would seem not to move.
  call('HSET', LEASE, 'seq', digits(nowMs), 'hbSeq', digits(nowMs))
end
return { 'renewed', view() }
