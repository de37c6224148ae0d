-- Purpose: Pending, Propagated and Acknowledged transactions after a seq, in order of seq, at most `limit`: hash, seq, hash, seq …
-- Those in flight are read in parts, because Confirmed ones among them are skipped, and no further than the page can reach.
local function waiting(after, limit)
  local pending = call('ZRANGEBYSCORE', IDX, '(' .. after, H - 1, 'WITHSCORES', 'LIMIT', 0, limit)
  local last = #pending == 2 * limit and tonumber(pending[#pending]) or math.huge
  local inflight, from = {}, after
  while #inflight < 2 * limit and tonumber(from) < last do
    local page = call('ZRANGEBYSCORE', FLIGHT, '(' .. from, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
    if #page == 0 then break end
    local names = {}
    for i = 1, #page, 2 do names[#names + 1] = page[i] end
    for i, at in ipairs((scores(IDX, names))) do
      if at and at < CONFIRMED * T then
        inflight[#inflight + 1] = names[i]
        inflight[#inflight + 1] = page[2 * i]
      end
    end
    from = page[#page]
  end
  local found, p, f = {}, 1, 1
  while #found < 2 * limit and (pending[p] or inflight[f]) do
    local own, other = tonumber(pending[p + 1] or math.huge), tonumber(inflight[f + 1] or math.huge)
    local n = #found
    if own < other then
      found[n + 1], found[n + 2] = pending[p], pending[p + 1]
      p = p + 2
    else
      found[n + 1], found[n + 2] = inflight[f], inflight[f + 1]
      f = f + 2
    end
  end
  return found
end
