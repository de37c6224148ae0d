-- Purpose: notes that the node is there. What follows, election/members.lua, lists all that are.
-- KEYS: election/state.lua   ARGV: election/hold.lua, without a token
seen()
