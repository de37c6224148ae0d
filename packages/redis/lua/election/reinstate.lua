-- Purpose: puts back the lease of a store that lost its data: there is no lock, and the term is below this one.
-- KEYS: election/state.lua   ARGV: election/hold.lua, 7 term, 8 'beat' or 'still'
-- Returns: as election/renew.lua
-- One that is there already was put back by a call whose answer was lost.
if mine and lease[3] == ARGV[7] then
  write(ARGV[8], prolong)
elseif owner or stored >= number(ARGV[7]) then
  return { 'lost', held and view() or false, digits(stored) }
else
  write(ARGV[8], take, ARGV[7])
  -- From 1 they might come to what somebody saw before the loss, and has not seen move since.
  call('HSET', LEASE, 'seq', digits(nowMs), 'hbSeq', digits(nowMs))
end
return { 'renewed', view() }
