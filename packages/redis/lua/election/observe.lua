-- Purpose: tells of the lease and of the newest term.
-- KEYS: election/state.lua
-- Returns: { the live lease or nil, term }
return { held and view() or false, digits(stored) }
