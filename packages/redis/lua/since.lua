-- Purpose: a page of what peers may be told of, by seq, with payloads.
-- KEYS: keys.lua   ARGV: 1 after, 2 limit, 3 payload bytes after which the page ends
-- Returns: as peek.lua
-- Rules: O6, M2
return page(waiting(ARGV[1], tonumber(ARGV[2])), tonumber(ARGV[3]))
