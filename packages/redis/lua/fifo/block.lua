-- Purpose: writes what a block decided, and trims points and sightings that are too old to roll back to.
-- Rules: L5, L6, L7, L9, L12, E1
-- `places`: those of the changes, by seq; `finals`: how many of them end a life.
local function applyBlock(places, finals)
  expectFinals(finals)
  local index, joined, left = {}, {}, {}
  local n, confirmed = 0, opening(CONFIRMED, tick)
  for i = 1, #places do
    local c = places[i]
    local hash, way, number = changed[c], ways[c], seqs[c]
    local to = way.to
    event(hash, number, way.tail)
    if to == CONFIRMED then
      index[n + 1], index[n + 2] = flying(confirmed, texts[c]), hash
      n = n + 2
      if way.from == PENDING or way.from == DROPPED then
        joined[#joined + 1] = texts[c]
        joined[#joined + 1] = hash
      end
    elseif to == PENDING then
      index[n + 1], index[n + 2] = string.format('%d', number), hash
      n = n + 2
      left[#left + 1] = hash
    else
      finalize(hash, number, to, way.at, way.depth, way.missed, way.note)
    end
  end
  each(left, 'ZREM', FLIGHT)
  each(index, 'ZADD', IDX)
  each(joined, 'ZADD', FLIGHT)
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
    if at < base and call('ZCOUNT', IDX, span(CONFIRMED, at, at)) == 0 then call('HDEL', BLOCKS, at) end
  end
  if base > before then call('ZREMRANGEBYSCORE', SEEN, '-inf', string.format('(%d', base)) end
end
