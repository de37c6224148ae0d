-- Purpose: a page of transactions with their records. It ends soon after its limit of bytes; core cuts it exactly.
-- Returns: { tick, epoch, then for each hash, seq, score or nil, confirming point or '', facts (pool/facts.lua), record or nil }
-- Rules: O6, X1, M2

-- Calls `add(place, record or false)` for each of the hashes, until the records exceed the limit.
local function eachRecord(names, limit, add)
  -- As many at a time as fit, whichever they are.
  local bytes, few = 0, math.max(1, math.min(part, math.floor(limit / largest)))
  for from = 1, #names, few do
    for i, record in ipairs(call('HMGET', BODY, unpack(names, from, math.min(from + few - 1, #names)))) do
      bytes = bytes + (record and #record or 0)
      add(from + i - 1, record)
    end
    if bytes > limit then return end
  end
end

-- `found`: hash, seq, hash, seq …
local function page(found, limit)
  local names, reply = {}, { tick, epoch }
  for i = 1, #found, 2 do names[#names + 1] = found[i] end
  local places, texts = scores(IDX, names)
  eachRecord(names, limit, function(i, record)
    local hash, at, n = names[i], places[i], #reply
    local point = at and at >= CONFIRMED * T and at < FINALIZED * T and pointOf(tickOf(at)) or ''
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4], reply[n + 5], reply[n + 6] =
      hash, found[2 * i], texts[i], point, factsOf(hash), record
  end)
  return reply
end
