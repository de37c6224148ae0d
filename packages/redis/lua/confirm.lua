-- Purpose: applies one block. What the block does not name costs nothing: depth and age are differences of ticks.
-- KEYS: fence.lua   ARGV: 1 id, 2 verb, 3–6 fence.lua, 7 point, 8 parent's hash or '', 9 finalizeThreshold, 10 dropThreshold,
-- 11 packed seen, 12 packed unseen
-- Returns: { 'applied', tip, tick, confirmed, returned, finalized, dropped } | { 'duplicate' | 'gap' | 'fenced', tip, tick }
-- A Dropped one that is seen stays as it is where its log entry is damaged: its seq is lost (M2).
-- Rules: L5, L6, L7, L12, X3, X4, X6, M3
local point, parent = ARGV[7], ARGV[8]
if tip ~= '' then
  if call('HEXISTS', BLOCKS, point) == 1 then return finish({ 'duplicate', tip, tick }) end
  if parent ~= '' and parent ~= string.sub(tip, 9) then return finish({ 'gap', tip, tick }) end
end
prolong()
tick = tick + 1
tip = point
blockEvent(0, point, tick)
local finalTick, dropTick = tick - tonumber(ARGV[9]) + 1, tick - tonumber(ARGV[10])
local changes, touched = {}, {}
local counts = { 0, 0, 0, 0 }

local function change(hash, score, to, kind)
  local from, since, confirmed, missed, number = math.floor(score / T), score % T, 0, 0, nil
  if from == PENDING then
    number = score
  elseif from == CONFIRMED then
    confirmed = tick - since
  elseif from == DROPPED then
    number, confirmed, missed = ending(hash, score)
    if not number then return false end
  else
    missed = tick - 1 - since
  end
  changes[#changes + 1] =
    { hash = hash, seq = number, from = from, to = to, since = since, confirmed = confirmed, missed = missed }
  touched[hash] = true
  counts[kind] = counts[kind] + 1
  return true
end

local seen, unseen = hashes(ARGV[11]), hashes(ARGV[12])
local atOnce = finalTick >= tick
for i, score in ipairs((scores(IDX, seen))) do
  local stage = score and math.floor(score / T)
  if stage and stage ~= CONFIRMED and stage ~= FINALIZED then
    local changed = change(seen[i], score, atOnce and FINALIZED or CONFIRMED, 1)
    if changed and atOnce then counts[3] = counts[3] + 1 end
  end
end
for i, score in ipairs((scores(IDX, unseen))) do
  if score and score >= T and score < FINALIZED * T then change(unseen[i], score, PENDING, 2) end
end

local function aged(stage, last, to, kind)
  if last < 0 then return end
  local old = call('ZRANGEBYSCORE', IDX, stage * T, stage * T + last, 'WITHSCORES')
  for i = 1, #old, 2 do
    if not touched[old[i]] then change(old[i], tonumber(old[i + 1]), to, kind) end
  end
end
aged(PROPAGATED, dropTick, DROPPED, 4)
aged(ACKNOWLEDGED, dropTick, DROPPED, 4)
aged(CONFIRMED, finalTick, FINALIZED, 3)
order(changes)
points[tick] = point
applyBlock(changes, counts)
call('HSET', BLOCKS, tick, point .. struct.pack('>I8', logSeq), point, tick)
local sightings = {}
for i, hash in ipairs(seen) do sightings[2 * i - 1], sightings[2 * i] = tick, hash end
trimBlocks()
each(unseen, nil, 'ZREM', SEEN)
each(sightings, nil, 'ZADD', SEEN, 'NX')
save('tick', tick, 'floor', base, 'tip', tip, 'logSeq', logSeq, 'logFirst', logFirst)
return finish({ 'applied', tip, tick, unpack(counts) })
