-- Purpose: returns Propagated transactions to Pending when their claim has ended, then holds back no longer those whose time has come, then
-- drops Propagated and Acknowledged ones that are in flight too long. The earliest end or time first, then by seq.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 the caller's time or '', 4 maximum number, 5 how long one may be in flight, in
-- milliseconds, or 'inf'
-- Returns: { 1 if there are more, else 0, how many returned, how many are held back no longer, the hashes of both, those of what is dropped }
-- Rules: L4, L8, L14, P20, X1
local limit = tonumber(ARGV[4])
local now = callTime(ARGV[3], own)
local before = string.format('(%.17g', now)
local members = hasClaims and call('ZRANGEBYSCORE', CLAIMS, '-inf', before, 'LIMIT', 0, limit + 1) or {}
local list, moved, origins, sinces, seqs, texts, stray, reply = {}, {}, {}, {}, {}, {}, {}, { #members > limit and 1 or 0, 0, 0 }
local isReturned = {}
for i = 1, math.min(#members, limit) do list[i] = hashIn(members[i]) end
local places, marks = scores(IDX, list)
for i, at in ipairs(places) do
  -- A claim ends when its transaction leaves Propagated. One without such a transaction is damage, and would come up in every sweep.
  if at and math.floor(at / T) == PROPAGATED then
    local n = #moved + 1
    moved[n], origins[n], sinces[n], seqs[n], texts[n] = list[i], PROPAGATED, tickOf(at), false, marks[i]
    isReturned[list[i]] = true
    reply[#reply + 1] = list[i]
  else
    stray[#stray + 1] = members[i]
  end
end
each(stray, 'ZREM', CLAIMS)

local returned = #moved
local held = due(now, limit - returned + 1)
if held[limit - returned + 1] then reply[1] = 1 end
held[limit - returned + 1] = nil
local woken = wake(held)
for _, hash in ipairs(woken) do reply[#reply + 1] = hash end
reply[2], reply[3] = returned, #woken

-- Those in flight too long. One more than there is room for tells whether there are more.
local since = ARGV[5] ~= 'inf' and string.format('(%.17g', now - tonumber(ARGV[5]))
for _, member in ipairs(since and call('ZRANGEBYSCORE', SENT, '-inf', since, 'LIMIT', 0, limit + 1) or {}) do
  local hash = hashIn(member)
  local at, found = scores(IDX, { hash })
  local text = found[1]
  local from = text and math.floor(at[1] / T)
  if (from == PROPAGATED or from == ACKNOWLEDGED) and not isReturned[hash] then
    local n = #moved + 1
    if n + #woken > limit then
      reply[1] = 1
      break
    end
    moved[n], origins[n], sinces[n], seqs[n], texts[n] = hash, from, tickOf(at[1]), false, text
    reply[#reply + 1] = hash
  end
end

if #moved > 0 then
  expectEnds(#moved - returned)
  local places, left = {}, {}
  for _, c in ipairs(order(moved, seqs, texts)) do
    local hash, number, missed = moved[c], seqs[c], tick - sinces[c]
    if c <= returned then
      local n = #places
      places[n + 1], places[n + 2] = string.format('%d', number), hash
      left[#left + 1] = hash
      event(hash, number, tail(CAUSE['claim-ended'], PENDING, PROPAGATED, 0, missed, 0, 0), comeBack(hash, number))
    else
      local facts, kept = ending(hash, number)
      finalize(hash, number, DROPPED, 0, 0, missed, 'stale', kept)
      event(hash, number, tail(CAUSE.expired, DROPPED, origins[c], 0, missed, 0, missed, false, 'stale'), facts)
    end
  end
  each(left, 'ZREM', FLIGHT)
  each(places, 'ZADD', IDX)
  if #moved > returned then writeEnds() end
  save('logSeq', logSeq, 'logFirst', logFirst)
end
return finish(reply)
