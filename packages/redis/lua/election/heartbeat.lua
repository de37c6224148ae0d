-- Purpose: stores a heartbeat of the node. Then election/members.lua lists all members.
-- KEYS: election/state.lua   ARGV: election/hold.lua, without a token
seen()
