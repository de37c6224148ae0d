-- Purpose: a page of what peers may be told of, by seq, with payloads.
-- KEYS: pool/keys.lua   ARGV: 1 after, 2 limit, 3 payload bytes after which the page ends
-- Returns: as pool/peek.lua
-- Rules: O6, M2
return page(waiting(ARGV[1], tonumber(ARGV[2])), tonumber(ARGV[3]))
