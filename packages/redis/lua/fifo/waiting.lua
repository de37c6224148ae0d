-- Purpose: Pending, Propagated and Acknowledged ones behind a seq, by seq, at most `limit`: hash, seq, hash, seq …
-- Those in flight are read in parts, as Confirmed ones among them are passed over; no further than the page can reach.
local function waiting(after, limit)
  local pending = call('ZRANGEBYSCORE', IDX, '(' .. after, T - 1, 'WITHSCORES', 'LIMIT', 0, limit)
  local last = #pending == 2 * limit and tonumber(pending[#pending]) or math.huge
  local flying, from = {}, after
  while #flying < 2 * limit and tonumber(from) < last do
    local page = call('ZRANGEBYSCORE', FLIGHT, '(' .. from, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
    if #page == 0 then break end
    local names = {}
    for i = 1, #page, 2 do names[#names + 1] = page[i] end
    for i, at in ipairs((scores(IDX, names))) do
      if at and at < CONFIRMED * T then
        flying[#flying + 1] = names[i]
        flying[#flying + 1] = page[2 * i]
      end
    end
    from = page[#page]
  end
  local found, p, f = {}, 1, 1
  while #found < 2 * limit and (pending[p] or flying[f]) do
    local own, other = tonumber(pending[p + 1] or math.huge), tonumber(flying[f + 1] or math.huge)
    local n = #found
    if own < other then
      found[n + 1], found[n + 2] = pending[p], pending[p + 1]
      p = p + 2
    else
      found[n + 1], found[n + 2] = flying[f], flying[f + 1]
      f = f + 2
    end
  end
  return found
end
