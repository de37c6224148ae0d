-- Purpose: transactions that are held back: Pending, with a score of `idx` from H on. The key `held` has them by the time until which
-- they are. Its members are made by `memberOf`. `meta` says whether there are any; if not, nothing is read.
-- Rules: P20

-- At most `limit` members that are held back until `now` or earlier: the earliest time first, then by seq.
local function due(now, limit)
  return hasHeld and call('ZRANGEBYSCORE', HELD, '-inf', string.format('%.17g', now), 'LIMIT', 0, limit) or {}
end

local function unhold(members)
  each(members, 'ZREM', HELD)
  if #members > 0 and call('EXISTS', HELD) == 0 then call('HDEL', META, 'held') end
end

-- Holds them back no longer. Returns the hashes. A member whose transaction is not held is damage: it only leaves `held`.
local function wake(members)
  local names, index, woken = {}, {}, {}
  for i, member in ipairs(members) do names[i] = hashIn(member) end
  for i, at in ipairs((scores(IDX, names))) do
    if at and at >= H and at < T then
      index[#index + 1] = string.format('%d', at % H)
      index[#index + 1] = names[i]
      woken[#woken + 1] = names[i]
    end
  end
  each(index, 'ZADD', IDX)
  unhold(members)
  return woken
end

-- After the events of a call: what left Pending is held back no longer.
local function endHeld()
  local ended = {}
  for n = 4, 4 * count, 4 do
    if rows[n] ~= '' and rows[n]:byte(2) == PENDING then ended[#ended + 1] = rows[n - 1] .. rows[n - 2] end
  end
  unhold(ended)
end
