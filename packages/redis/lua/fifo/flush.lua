-- Purpose: drops every Pending transaction.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb
-- Returns: { number of dropped transactions }
-- Rules: L10, X1, M3
local found = call('ZRANGEBYSCORE', IDX, 0, T - 1, 'WITHSCORES')
local flushed = tail(CAUSE.flushed, DROPPED, PENDING, 0, 0, 0, 0, false, 'flushed')
local names, seqs = {}, {}
for i = 1, #found, 2 do
  names[#names + 1] = found[i]
  seqs[#seqs + 1] = found[i + 1] % H
end
expectEnds(#names)
for _, i in ipairs(order(names, seqs, {})) do
  local facts, kept = ending(names[i], seqs[i])
  finalize(names[i], seqs[i], DROPPED, 0, 0, 0, 'flushed', kept)
  event(names[i], seqs[i], flushed, facts)
end
if #found > 0 then
  writeEnds()
  save('logSeq', logSeq, 'logFirst', logFirst)
end
return finish({ #found / 2 })
