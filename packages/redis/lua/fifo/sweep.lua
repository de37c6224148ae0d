-- Purpose: returns Propagated transactions to Pending when their claim has ended, then holds back no longer those whose time has come. The
-- earliest end or time first, then by seq.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 the caller's time or '', 4 maximum number
-- Returns: { 1 if there are more, else 0, how many returned, their hashes, the hashes of those held back no longer }
-- Rules: L4, L8, P20, X1
local limit = tonumber(ARGV[4])
local now = callTime(ARGV[3], own)
local before = string.format('(%.17g', now)
local members = hasClaims and call('ZRANGEBYSCORE', CLAIMS, '-inf', before, 'LIMIT', 0, limit + 1) or {}
local list, moved, sinces, seqs, texts, stray, reply = {}, {}, {}, {}, {}, {}, { #members > limit and 1 or 0, 0 }
for i = 1, math.min(#members, limit) do list[i] = hashIn(members[i]) end
local places, marks = scores(IDX, list)
for i, at in ipairs(places) do
  -- A claim ends when its transaction leaves Propagated. One without such a transaction is damage, and would come up in every sweep.
  if at and math.floor(at / T) == PROPAGATED then
    local n = #moved + 1
    moved[n], sinces[n], seqs[n], texts[n] = list[i], tickOf(at), false, marks[i]
    reply[#reply + 1] = list[i]
  else
    stray[#stray + 1] = members[i]
  end
end
each(stray, 'ZREM', CLAIMS)
if #moved > 0 then
  local index, left = {}, {}
  for i, c in ipairs(order(moved, seqs, texts)) do
    index[2 * i - 1], index[2 * i] = string.format('%d', seqs[c]), moved[c]
    left[i] = moved[c]
    event(moved[c], seqs[c], tail(CLAIM_ENDED, PENDING, PROPAGATED, 0, tick - sinces[c], 0, 0))
  end
  each(left, 'ZREM', FLIGHT)
  each(index, 'ZADD', IDX)
  save()
end
reply[2] = #moved
local held = due(now, limit - #moved + 1)
if held[limit - #moved + 1] then reply[1] = 1 end
held[limit - #moved + 1] = nil
for _, hash in ipairs(wake(held)) do reply[#reply + 1] = hash end
return finish(reply)
