-- Purpose: applies one block. What the block does not name costs nothing: depth and age are differences of ticks.
-- KEYS: keys.lua   ARGV: 1 id, 2 verb, 3 point, 4 parent's hash or '', 5 finalizeThreshold, 6 dropThreshold, 7 packed seen,
-- 8 packed unseen
-- Returns: { 'applied', tip, tick, confirmed, returned, finalized, dropped } | { 'duplicate' | 'gap', tip, tick }
-- Rules: L5, L6, L7, L12, X3, X4, M3
local point, parent = ARGV[3], ARGV[4]
if tip ~= '' then
  if call('HEXISTS', BLOCKS, point) == 1 then return finish({ 'duplicate', tip, tick }) end
  if parent ~= '' and parent ~= string.sub(tip, 9) then return finish({ 'gap', tip, tick }) end
end
tick = tick + 1
tip = point
blockEvent(0, point, tick)
local finalTick, dropTick = tick - tonumber(ARGV[5]) + 1, tick - tonumber(ARGV[6])
local changes, names, touched = {}, {}, {}
local counts = { 0, 0, 0, 0 }

local function change(hash, score, to)
  local from, since = math.floor(score / T), score % T
  local c = { hash = hash, from = from, to = to, since = since, confirmed = 0, missed = 0 }
  if from == PENDING then c.seq = score end
  if from == PROPAGATED or from == ACKNOWLEDGED then c.missed = tick - 1 - since end
  if from == CONFIRMED then c.confirmed = tick - since end
  if from == DROPPED then
    local _
    _, c.seq, _, c.confirmed, c.missed = struct.unpack(entryFormat, call('HGET', LOG, string.format('%.0f', since)))
  end
  names[#names + 1] = hash
  changes[#names] = c
  touched[hash] = true
end

local seen, unseen = hashes(ARGV[7]), hashes(ARGV[8])
for i, score in ipairs(scores(IDX, seen)) do
  local stage = score and math.floor(score / T)
  if stage and stage ~= CONFIRMED and stage ~= FINALIZED then
    change(seen[i], score, finalTick >= tick and FINALIZED or CONFIRMED)
    counts[1] = counts[1] + 1
  end
end
for i, score in ipairs(scores(IDX, unseen)) do
  if score and score >= T and score < FINALIZED * T then
    change(unseen[i], score, PENDING)
    counts[2] = counts[2] + 1
  end
end

local function aged(stage, last, to)
  if last < 0 then return end
  local old = call('ZRANGEBYSCORE', IDX, stage * T, stage * T + last, 'WITHSCORES')
  for i = 1, #old, 2 do
    if not touched[old[i]] then change(old[i], tonumber(old[i + 1]), to) end
  end
end
aged(PROPAGATED, dropTick, DROPPED)
aged(ACKNOWLEDGED, dropTick, DROPPED)
aged(CONFIRMED, finalTick, FINALIZED)
order(changes, names)
call('HSET', BLOCKS, tick, point, point, tick)
applyBlock(changes, counts)
local sightings = {}
for i, hash in ipairs(seen) do sightings[2 * i - 1], sightings[2 * i] = tick, hash end
trimBlocks()
each(unseen, nil, 'ZREM', SEEN)
each(sightings, nil, 'ZADD', SEEN, 'NX')
save()
return finish({ 'applied', tip, tick, unpack(counts) })
