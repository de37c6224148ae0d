-- Purpose: moves the tip back to a point applied earlier.
-- KEYS: keys.lua   ARGV: 1 id, 2 verb, 3 point, or '' for all that is kept
-- Returns: { 'rolled-back', tip, tick, undone, returned } | { 'unchanged', tip, tick }
--   | { 'unknown-point', tip, tick, the oldest point kept or '' }
-- Rules: L9, L13, X3, X4, E1, M3
local point = ARGV[3]
if point == tip then return finish({ 'unchanged', tip, tick }) end
local target = point == '' and base - 1 or tonumber(tip ~= '' and call('HGET', BLOCKS, point) or nil)
if not target then
  return finish({ 'unknown-point', tip, tick, tip ~= '' and pointOf(base) or '' })
end

local changes, names, index, left, unfinal, points = {}, {}, {}, {}, {}, {}
for at = tick, target + 1, -1 do
  local undone = pointOf(at)
  blockEvent(1, undone, at)
  points[#points + 1] = undone
  points[#points + 1] = string.format('%.0f', at)
end

local function above(stage)
  return call('ZRANGEBYSCORE', IDX, stage * T + target + 1, stage * T + T - 1, 'WITHSCORES')
end
local undone = above(CONFIRMED)
for i = 1, #undone, 2 do
  local n = #names + 1
  names[n] = undone[i]
  left[n] = undone[i]
  changes[n] = { hash = undone[i], from = CONFIRMED, confirmed = tick - tonumber(undone[i + 1]) % T + 1, missed = 0 }
end
unfinal = call('ZRANGEBYSCORE', FINAL, string.format('(%.0f', target), '+inf')
for i, at in ipairs(scores(IDX, unfinal)) do
  local entry = call('HGET', LOG, string.format('%.0f', at % T))
  local _, number, _, confirmed, missed = struct.unpack(entryFormat, entry)
  names[#names + 1] = unfinal[i]
  changes[#names] = { hash = unfinal[i], from = FINALIZED, confirmed = confirmed, missed = missed, seq = number }
end
order(changes, names)
for i, c in ipairs(changes) do
  index[2 * i - 1], index[2 * i] = c.seq, c.hash
  event(c.hash, c.seq, tail(ROLLED_BACK, c.from, c.confirmed, c.missed, 0, 0))
end
for stage = PROPAGATED, ACKNOWLEDGED do
  local later = above(stage)
  for i = 1, #later, 2 do
    local n = #index
    index[n + 1], index[n + 2] = stage * T + target, later[i]
  end
end
each(left, nil, 'ZREM', FLIGHT)
each(unfinal, nil, 'ZREM', FINAL)
each(index, nil, 'ZADD', IDX)
each(points, nil, 'HDEL', BLOCKS)
call('ZREMRANGEBYSCORE', SEEN, string.format('(%.0f', target), '+inf')
local blocks = tick - target
tick, tip = target, point
save()
return finish({ 'rolled-back', tip, tick, blocks, #changes })
