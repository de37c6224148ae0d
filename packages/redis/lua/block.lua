-- Purpose: writes what a block decided, and trims points and sightings that are too old to roll back to.
-- Rules: L5, L6, L7, L9, L12, E1
local leftTicks = {}

-- `counts`: confirmed, returned, finalized, dropped.
local function applyBlock(changes, counts)
  expectFinals(counts[3] + counts[4])
  local index, joined, left = {}, {}, {}
  local confirmed = place(CONFIRMED, tick)
  local function put(score, hash)
    local n = #index
    index[n + 1], index[n + 2] = score, hash
  end
  for _, c in ipairs(changes) do
    local from, to, hash = c.from, c.to, c.hash
    if from == CONFIRMED then leftTicks[c.since] = true end
    if to == CONFIRMED then
      put(confirmed, hash)
      if from == PENDING or from == DROPPED then
        local n = #joined
        joined[n + 1], joined[n + 2] = c.seq, hash
      end
      event(hash, c.seq, tail(CONFIRMED, from, c.confirmed, c.missed, 1, 0, tip))
    elseif to == PENDING then
      put(c.seq, hash)
      left[#left + 1] = hash
      event(hash, c.seq, tail(ROLLED_BACK, from, c.confirmed, c.missed, 0, 0))
    elseif to == FINALIZED then
      local at = from == CONFIRMED and c.since or tick
      local point, depth = pointOf(at), tick - at + 1
      finalize(hash, c.seq, FINALIZED, at, depth, 0, point)
      event(hash, c.seq, tail(FINALIZED, from, c.confirmed, c.missed, depth, 0, point))
    else
      local missed = tick - c.since
      finalize(hash, c.seq, DROPPED, 0, 0, missed, 'stale')
      event(hash, c.seq, tail(DROPPED, from, c.confirmed, c.missed, 0, missed, false, 'stale'))
    end
  end
  each(left, nil, 'ZREM', FLIGHT)
  each(index, nil, 'ZADD', IDX)
  each(joined, nil, 'ZADD', FLIGHT)
  closeLives()
end

-- A point leaves with the last block that a rollback may reach, or with the last transaction that it confirms.
local function trimBlocks()
  local before = base
  base = math.max(base, tick - maxRollback)
  for at = before, base - 1 do
    local point = pointOf(at)
    if point then call('HDEL', BLOCKS, point) end
    leftTicks[at] = true
  end
  for at in pairs(leftTicks) do
    if at < base and call('ZCOUNT', IDX, CONFIRMED * T + at, CONFIRMED * T + at) == 0 then call('HDEL', BLOCKS, at) end
  end
  if base > before then call('ZREMRANGEBYSCORE', SEEN, '-inf', string.format('(%d', base)) end
end
