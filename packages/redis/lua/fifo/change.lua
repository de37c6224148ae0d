-- Purpose: works out what a block changes. What becomes of those of one stage and tick is the same for all of them but for
-- the seq, so it is worked out once.
-- A Dropped one that is seen stays as it is where its log entry is damaged: its seq is lost (M2).
-- Rules: L5, L6, L7, L12, E1, M2
local changed, ways, seqs, texts, leftTicks = {}, {}, {}, {}, {}

-- From which stage and tick, with which counters, to which stage: what it means for events, index and log.
local function wayTo(to, from, since, confirmed, missed)
  if from == CONFIRMED then leftTicks[since] = true end
  local way = { from = from, to = to }
  if to == CONFIRMED then
    way.tail = tail(CONFIRMED, from, confirmed, missed, 1, 0, tip)
  elseif to == PENDING then
    way.tail = tail(ROLLED_BACK, from, confirmed, missed, 0, 0)
  elseif to == FINALIZED then
    way.at = from == CONFIRMED and since or tick
    way.depth, way.missed, way.note = tick - way.at + 1, 0, pointOf(way.at)
    way.tail = tail(FINALIZED, from, confirmed, missed, way.depth, 0, way.note)
  else
    way.at, way.depth, way.missed, way.note = 0, 0, tick - since, 'stale'
    way.tail = tail(DROPPED, from, confirmed, missed, 0, way.missed, false, 'stale')
  end
  return way
end

-- Why something changes: where to, the stages that it may leave, how many do, and the ways by what the scores that they leave begin with.
local function aim(to, ...)
  local leaves = {}
  for _, stage in ipairs({ ... }) do leaves[stage] = true end
  return { to = to, leaves = leaves, count = 0, ways = {} }
end

-- The way of a score that was not met yet, if it has one; the seq with it, where that is known.
local function look(hash, text, to, leaves)
  local score = tonumber(text)
  local from, since = math.floor(score / T), tickOf(score)
  if not leaves[from] then return nil end
  if from == PENDING then return wayTo(to, from, 0, 0, 0), score, text end
  if from == CONFIRMED then return wayTo(to, from, since, tick - since, 0) end
  if from ~= DROPPED then return wayTo(to, from, since, 0, tick - 1 - since) end
  local number, confirmed, missed = ending(hash, score)
  if number then return wayTo(to, from, since, confirmed, missed), number, string.format('%d', number) end
end

local function change(hash, text, why)
  -- Ten digits of sixteen name stage and tick of one in flight; a Pending one has fewer.
  local opened = #text == 16 and substring(text, 1, 10)
  local way, number, digits = why.ways[opened], nil, nil
  if not way then
    way, number, digits = look(hash, text, why.to, why.leaves)
    if not way then return end
    if not number then why.ways[opened] = way end
  end
  why.count = why.count + 1
  local n = #changed + 1
  changed[n], ways[n], seqs[n], texts[n] = hash, way, number or false, digits or text
end
