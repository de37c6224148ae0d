-- KEYS: keys.lua   ARGV: 1 after which seq, 2 at most how many
-- Returns: { first, head, the digest before the first, entries of the log }
local from = math.max(tonumber(ARGV[1]) + 1, 1)
return { first, headSeq, before, call('XRANGE', LOG, whole(from) .. '-0', '+', 'COUNT', ARGV[2]) }
