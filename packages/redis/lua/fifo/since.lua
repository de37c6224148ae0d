-- Purpose: a page of the transactions to gossip, in order of seq, with payloads.
-- KEYS: pool/keys.lua   ARGV: 1 after, 2 limit, 3 payload bytes after which the page ends
-- Returns: as in pool/page.lua
-- Rules: O6, M2
return page(waiting(ARGV[1], tonumber(ARGV[2])), tonumber(ARGV[3]))
