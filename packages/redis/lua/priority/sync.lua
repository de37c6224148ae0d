-- Purpose: brings a mirror of a priority pool up to date.
-- KEYS: priority/changes.lua   ARGV: 1 priority/recall.lua, 2–4 epoch, version and stamp of the mirror; of a node that is to write also 5 its
-- name, 6 and 7 how long its ticket is valid, or '' without one: usually, and if the whole pool must be loaded
-- Returns: as `compare` of priority/changes.lua | as priority/recall.lua | { 'blocked', version, stamp, seconds, microseconds, for how long }
-- Rules: N1, X2
if ARGV[5] then
  local ms = blockedMs(ARGV[5])
  if ms > 0 then return { 'blocked', version, stamp, time[1], time[2], ms } end
end
local state = compare(ARGV[2], tonumber(ARGV[3]), ARGV[4])
if ARGV[5] then
  local wanted = tonumber(state[1] == 'reload' and ARGV[7] or ARGV[6])
  if wanted then leaveTicket(ARGV[5], wanted) end
end
return state
