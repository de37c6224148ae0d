-- Purpose: joins the queue of writing nodes, and tells how many are before this one.
-- KEYS: priority/changes.lua   ARGV: 1 name of the node, 2–4 epoch, version and stamp of the mirror, 5 milliseconds that an
-- attempt of the node takes
-- Returns: as `compare` of priority/changes.lua
-- Rules: N1, X5
local state = compare(ARGV[2], tonumber(ARGV[3]), ARGV[4])
state[6] = queue(ARGV[1], tonumber(ARGV[5]))
return state
