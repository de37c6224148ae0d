-- Purpose: drops every Pending transaction.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb
-- Returns: { number of dropped transactions }
-- Rules: L10, X1, M3
local found = call('ZRANGEBYSCORE', IDX, 0, T - 1, 'WITHSCORES')
local flushed = tail(DROPPED, PENDING, 0, 0, 0, 0, false, 'flushed')
expectEnds(#found / 2)
for i = 1, #found, 2 do
  local number = tonumber(found[i + 1])
  finalize(found[i], number, DROPPED, 0, 0, 0, 'flushed')
  event(found[i], number, flushed)
end
if #found > 0 then
  writeEnds()
  save('logSeq', logSeq, 'logFirst', logFirst)
end
return finish({ #found / 2 })
