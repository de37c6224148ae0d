-- Purpose: a page of Pending transactions, or of those in flight, by seq.
-- KEYS: pool/keys.lua   ARGV: 1 'pending' or 'inflight', 2 after, 3 limit, 4 payload bytes after which the page ends
-- Returns: as in pool/page.lua
-- Rules: O1, O2, O6, L8, M2
local after = string.format('(%d', tonumber(ARGV[2]))
local isPending = ARGV[1] == 'pending'
local key, last = isPending and IDX or FLIGHT, isPending and H - 1 or '+inf'
local found = call('ZRANGEBYSCORE', key, after, last, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
return page(found, tonumber(ARGV[4]))
