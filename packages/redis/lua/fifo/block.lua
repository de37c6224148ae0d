-- Purpose: writes the changes of a block, and trims points and inclusions that are too old to roll back to.
-- Rules: L5, L6, L7, L9, L12, E1
-- The facts for the event of a change and, if it ends, for its log entry.
local function factsAfter(transition, hash, number)
  local from, to = transition.from, transition.to
  if from == DROPPED then
    if to >= FINALIZED then return told(transition.kept), transition.kept end
    return revive(hash, transition.kept)
  end
  if to >= FINALIZED then return ending(hash, number) end
  if from == PROPAGATED or from == ACKNOWLEDGED then return comeBack(hash, number) end
  return stay(hash)
end

-- `places`: positions of the changes, in order of seq. `finals`: how many of them reach a final stage.
local function applyBlock(places, finals)
  expectEnds(finals)
  local index, joined, left = {}, {}, {}
  local n, confirmed = 0, scorePrefix(CONFIRMED, tick)
  for i = 1, #places do
    local c = places[i]
    local hash, transition, number = changed[c], transitions[c], seqs[c]
    local to = transition.to
    local facts, kept = factsAfter(transition, hash, number)
    event(hash, number, transition.tail, facts)
    if to == CONFIRMED then
      index[n + 1], index[n + 2] = inflightScore(confirmed, texts[c]), hash
      n = n + 2
      if transition.from == PENDING or transition.from == DROPPED then
        joined[#joined + 1] = texts[c]
        joined[#joined + 1] = hash
      end
    elseif to == PENDING then
      index[n + 1], index[n + 2] = string.format('%d', number), hash
      n = n + 2
      left[#left + 1] = hash
    else
      finalize(hash, number, to, transition.at, transition.depth, transition.missed, transition.note, kept)
    end
  end
  each(left, 'ZREM', FLIGHT)
  each(index, 'ZADD', IDX)
  each(joined, 'ZADD', FLIGHT)
  writeEnds()
end

-- A point is deleted when no rollback can reach its block, and no Confirmed transaction refers to it.
local function trimBlocks()
  local before = floorTick
  floorTick = math.max(floorTick, tick - maxRollback)
  for at = before, floorTick - 1 do
    local point = pointOf(at)
    if point then call('HDEL', BLOCKS, point) end
    vacatedTicks[at] = true
  end
  for at in pairs(vacatedTicks) do
    if at < floorTick and call('ZCOUNT', IDX, scoreRange(CONFIRMED, at, at)) == 0 then call('HDEL', BLOCKS, at) end
  end
  if floorTick > before then call('ZREMRANGEBYSCORE', SEEN, '-inf', string.format('(%d', floorTick)) end
end
