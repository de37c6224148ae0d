-- Purpose: the records of a page, read in small parts, so that it ends soon after its limit of bytes. Core cuts it exactly.
-- Rules: O6, M2
local few = 16

-- `found`: hash, seq, hash, seq …
local function page(found, limit)
  local reply, names, bytes = { tick, epoch }, {}, 0
  for i = 1, #found, 2 do names[#names + 1] = found[i] end
  local at, texts = scores(IDX, names)
  for from = 1, #names, few do
    local to = math.min(from + few - 1, #names)
    local records = call('HMGET', BODY, unpack(names, from, to))
    for i = from, to do
      local record, n = records[i - from + 1], #reply
      local confirmed = at[i] and at[i] >= CONFIRMED * T
      local point = confirmed and pointOf(tickOf(at[i])) or ''
      reply[n + 1] = { names[i], found[2 * i], texts[i] or '0', point, record, factsOf(names[i], found[2 * i]) }
      bytes = bytes + (record and #record or 0)
      if bytes > limit then return reply end
    end
  end
  return reply
end
