-- Purpose: a page of Pending transactions, or of those in flight, by seq.
-- KEYS: pool/keys.lua   ARGV: 1 'pending' or 'inflight', 2 after, 3 limit, 4 payload bytes after which the page ends
-- Returns: { tick, epoch, then for each { hash, seq, score, confirming point or '', record or nil, facts } }
-- Rules: O1, O2, O6, L8, M2
local after = string.format('(%d', tonumber(ARGV[2]))
local found
if ARGV[1] == 'pending' then
  found = call('ZRANGEBYSCORE', IDX, after, H - 1, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
else
  found = call('ZRANGEBYSCORE', FLIGHT, after, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
end
return page(found, tonumber(ARGV[4]))
