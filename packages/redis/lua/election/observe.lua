-- Purpose: reads the lease and the newest term.
-- KEYS: election/state.lua
-- Returns: { the live lease or nil, term }
return { held and view() or false, digits(stored) }
