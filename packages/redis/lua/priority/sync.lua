-- Purpose: brings a mirror of a priority pool up to date.
-- KEYS: priority/changes.lua   ARGV: 1 priority/recall.lua, 2–4 epoch, version and stamp of the mirror; of a node that is to write also 5 its
-- name, 6 and 7 for how long it leaves a ticket, or nothing: usually, and if it must load the whole pool
-- Returns: as `compare` of priority/changes.lua | as priority/recall.lua | { 'blocked', for how many ms }
-- Rules: N1, X2
local node = ARGV[5]
local blocked = node and blockedMs(node) or 0
if blocked > 0 then return { 'blocked', blocked } end
local state = compare(ARGV[2], tonumber(ARGV[3]), ARGV[4])
if node then leaveTicket(node, ARGV[6] and { ARGV[6], ARGV[7] }, state[1]) end
return state
