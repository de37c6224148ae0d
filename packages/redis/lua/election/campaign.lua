-- Purpose: takes the lease if it is free, already has this token, or is the stale lease that the caller saw and has not moved since.
-- KEYS: election/state.lua   ARGV: election/hold.lua, 7 floor, 8 'wait' or 'accept', 9 token of a stale lease or '',
-- 10 its seq or '', 11 its hbSeq or ''
-- Returns: { 'won', lease, the lease taken over or nil } | { 'held', lease, term } | { 'forgotten', term }
-- A lease with this token was won by an earlier attempt whose answer was lost. `nextTerm` in mempool-election defines the new term.
if mine then
  write('beat', prolong)
  return { 'won', view(), false }
end

local function stale()
  local seq, hbSeq = ARGV[10], ARGV[11]
  return lease[2] == ARGV[9] and (seq == '' or lease[4] == seq) and (hbSeq == '' or lease[5] == hbSeq)
end

local floor, forced = number(ARGV[7]), false
if held then
  if not stale() then return { 'held', view(), digits(stored) } end
  forced = view()
end
if ARGV[8] == 'wait' and stored < floor then return { 'forgotten', digits(stored) } end
local start = stored == 0 and number(time[1]) - 1 or 0
write('beat', take, digits(math.max(stored, floor, start) + 1))
return { 'won', view(), forced }
