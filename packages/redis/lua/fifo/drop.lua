-- Purpose: drops transactions on request: any live stage except Confirmed becomes Dropped.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 reason, 4 packed hashes, 5 id of a claim or '',
-- 6 the seqs of the hashes, divided by spaces, or '': then only those that are Pending with that seq are dropped
-- Returns: a digit for each hash: 1 dropped, 0 left
-- Rules: L10, P19, M2, M3
local reason = ARGV[3]
local why = reason == 'failed' and CAUSE.failed or CAUSE.dropped
local list = hashes(ARGV[4])
local at, texts = scores(IDX, list)
local guarded = underClaim(list, ARGV[5])
local wanted = {}
for number in string.gmatch(ARGV[6], '%d+') do wanted[#wanted + 1] = tonumber(number) end
local digits, dropped, origins, ages, seqs, numbers = {}, {}, {}, {}, {}, {}
for i, hash in ipairs(list) do
  local from = at[i] and math.floor(at[i] / T)
  -- A stage above Dropped is damaged: `drop` removes it (M2).
  local lost = from and from > DROPPED
  local fits = guarded[i] and from and (from < CONFIRMED or lost)
  if wanted[1] then fits = from == PENDING and at[i] % H == wanted[i] end
  digits[i] = fits and 1 or 0
  if fits then
    local n = #dropped + 1
    dropped[n], origins[n], numbers[n] = hash, from, texts[i]
    ages[n], seqs[n] = from == PENDING and 0 or tick - tickOf(at[i]), from == PENDING and at[i] % H
    if lost then origins[n], ages[n], seqs[n] = PROPAGATED, 0, tonumber(call('ZSCORE', FLIGHT, hash) or 0) end
  end
end
if #dropped > 0 then
  expectEnds(#dropped)
  for _, c in ipairs(order(dropped, seqs, numbers)) do
    local hash, number, missed = dropped[c], seqs[c], ages[c]
    local facts, kept = ending(hash, number)
    finalize(hash, number, DROPPED, 0, 0, missed, reason, kept)
    event(hash, number, tail(why, DROPPED, origins[c], 0, missed, 0, missed, false, reason), facts)
  end
  writeEnds()
  save('logSeq', logSeq, 'logFirst', logFirst)
end
return finish(table.concat(digits))
