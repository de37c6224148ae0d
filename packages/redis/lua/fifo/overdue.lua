-- Purpose: the transactions that are Propagated or Acknowledged and went out before a time: the longest ago first, then by seq, at most
-- `limit`: { sent, seq } …
-- Reads only fields with such a transaction. A field whose score is too low gets its lowest time, so it is read in vain once.
-- Rules: L14
local function sentBefore(before, limit)
  local found = {}
  local function sooner(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end
  local function cut()
    table.sort(found, sooner)
    for i = #found, limit + 1, -1 do found[i] = nil end
  end

  -- Notes those of a field. Returns the lowest time in it.
  local function note(name)
    local value, first, lowest = call('HGET', FACTS, name) or '', name * perField, nil
    for number = first, first + math.floor((#value - 2) / factsBytes) - 1 do
      local sent = struct.unpack('>I6', value, factsPlace(number) + 9)
      if sent > 0 and (not lowest or sent < lowest) then lowest = sent end
      if sent > 0 and sent < before then found[#found + 1] = { sent, number } end
    end
    return lowest
  end

  local upTo, isRead = before == math.huge and '+inf' or string.format('(%.0f', before), {}
  while true do
    local fields, isDone = call('ZRANGEBYSCORE', SENT, '-inf', upTo, 'WITHSCORES', 'LIMIT', 0, limit), true
    for i = 1, #fields, 2 do
      local member, score = fields[i], tonumber(fields[i + 1])
      if not isRead[member] then
        if #found >= limit then
          cut()
          if score > found[limit][1] then return found end
        end
        isRead[member], isDone = true, false
        local lowest = note(string.format('%d', member))
        if not lowest then
          call('ZREM', SENT, member)
          forgetSent()
        elseif lowest > score then
          call('ZADD', SENT, lowest, member)
        end
      end
    end
    if isDone then break end
  end
  cut()
  return found
end
