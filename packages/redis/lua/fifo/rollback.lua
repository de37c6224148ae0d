-- Purpose: moves the tip back to a point that was applied before.
-- KEYS: pool/fence.lua   ARGV: 1 id, 2 verb, 3–6 pool/fence.lua, 7 point, or '' to undo all kept blocks
-- Returns: { 'rolled-back', tip, tick, undone, returned } | { 'unchanged' | 'fenced', tip, tick }
--   | { 'unknown-point', tip, tick, the oldest point kept or '' }
-- Error: MEMPOOL_CORRUPT (the point of a block to undo is damaged, so no event can name it)
-- A Finalized transaction whose log entry is damaged stays as it is: its seq is lost (M2).
-- Rules: L9, L13, X3, X4, X6, E1, M3
local point = ARGV[7]
if point == tip then return finish({ 'unchanged', tip, tick }) end
local target = point == '' and floorTick - 1 or tonumber(tip ~= '' and call('HGET', BLOCKS, point) or nil)
if not target then
  return finish({ 'unknown-point', tip, tick, tip ~= '' and pointOf(floorTick) or '' })
end
for at = tick, target + 1, -1 do
  if #(pointOf(at) or '') < 40 then return redis.error_reply(string.format('MEMPOOL_CORRUPT the point of block %d is damaged', at)) end
end
prolong()

local changed, states, seqs, texts, index, left, undonePoints = {}, {}, {}, {}, {}, {}, {}
for at = tick, target + 1, -1 do
  local undone = pointOf(at)
  blockEvent(1, undone, at, ARGV[3], ARGV[5])
  undonePoints[#undonePoints + 1] = undone
  undonePoints[#undonePoints + 1] = string.format('%d', at)
end

local function above(stage)
  local from, to = scoreRange(stage, target + 1, tick)
  return call('ZRANGEBYSCORE', IDX, from, to, 'WITHSCORES')
end
local confirmed = above(CONFIRMED)
for i = 1, #confirmed, 2 do
  local n = #left + 1
  left[n], changed[n], seqs[n], texts[n] = confirmed[i], confirmed[i], false, confirmed[i + 1]
  states[n] = { from = CONFIRMED, confirmed = tick - tickOf(confirmed[i + 1]) + 1, missed = 0 }
end

-- Transactions that an undone block confirmed became Finalized after the target, so only the log entries since then matter.
local since = target >= floorTick and struct.unpack('>I8', call('HGET', BLOCKS, target), 41) + 1 or logFirst
local numbers, finals, names = {}, {}, {}
for n = math.max(since, logFirst), logSeq do numbers[#numbers + 1] = string.format('%d', n) end
for i, entry in ipairs(ask(numbers, 'HMGET', LOG)) do
  local hash = entryHash(entry)
  if hash then
    local stage, number, at, depth, missed = entryNumbers(entry)
    if stage == FINALIZED and at > target and number <= seq then
      names[#names + 1] = hash
      finals[#names] = { from = stage, confirmed = depth, missed = missed, seq = number, entry = numbers[i], kept = entryFacts(entry) }
    end
  end
end
for i, at in ipairs((scores(IDX, names))) do
  if at == FINALIZED * T + finals[i].entry then
    local n = #changed + 1
    changed[n], states[n], seqs[n] = names[i], finals[i], finals[i].seq
  end
end
for i, c in ipairs(order(changed, seqs, texts)) do
  local state = states[c]
  index[2 * i - 1], index[2 * i] = seqs[c], changed[c]
  local facts = state.kept and revive(changed[c], state.kept) or stay(changed[c])
  event(changed[c], seqs[c], tail(CAUSE['rolled-back'], PENDING, state.from, state.confirmed, state.missed, 0, 0), facts)
end
for stage = PROPAGATED, ACKNOWLEDGED do
  local later, opened = above(stage), scorePrefix(stage, target)
  for i = 1, #later, 2 do
    local n = #index
    index[n + 1], index[n + 2] = inflightScore(opened, later[i + 1]), later[i]
  end
end
each(left, 'ZREM', FLIGHT)
each(index, 'ZADD', IDX)
each(undonePoints, 'HDEL', BLOCKS)
call('ZREMRANGEBYSCORE', SEEN, string.format('(%d', target), '+inf')
local blocks = tick - target
tick, tip = target, point
save('tick', tick, 'tip', tip)
return finish({ 'rolled-back', tip, tick, blocks, #changed })
