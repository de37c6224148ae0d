-- Purpose: applies one block. Transactions that the block does not name cost nothing: depth and age are differences of ticks.
-- KEYS: pool/fence.lua   ARGV: 1 id, 2 verb, 3–6 pool/fence.lua, 7 point, 8 parent's hash or '', 9 finalizeThreshold, 10 dropThreshold,
-- 11 packed seen, 12 packed unseen
-- Returns: { 'applied', tip, tick, confirmed, returned, finalized, dropped } | { 'duplicate' | 'gap' | 'fenced', tip, tick }
-- Rules: L5, L6, L7, L12, X3, X4, X6, M3
local point, parent = ARGV[7], ARGV[8]
if tip ~= '' then
  if call('HEXISTS', BLOCKS, point) == 1 then return finish({ 'duplicate', tip, tick }) end
  local follows = parent == string.sub(tip, 9)
  if parent == '' then follows = struct.unpack('>I8', point) >= struct.unpack('>I8', tip) end
  if not follows then return finish({ 'gap', tip, tick }) end
end
prolong()
tick = tick + 1
tip = point
points[tick] = point
blockEvent(0, point, tick, ARGV[3], ARGV[5])
local finalTick, dropTick = tick - tonumber(ARGV[9]) + 1, tick - tonumber(ARGV[10])
local atOnce = finalTick >= tick

local confirming = newCause(atOnce and FINALIZED or CONFIRMED, CAUSE.seen, PENDING, PROPAGATED, ACKNOWLEDGED, DROPPED)
local returning = newCause(PENDING, CAUSE.unseen, PROPAGATED, ACKNOWLEDGED, CONFIRMED)
local finalizing, dropping = newCause(FINALIZED, CAUSE.block, CONFIRMED), newCause(DROPPED, CAUSE.block, PROPAGATED, ACKNOWLEDGED)

local function named(list, cause)
  local texts = ask(list, 'ZMSCORE', IDX)
  for i = 1, #texts do
    if texts[i] then change(list[i], texts[i], cause) end
  end
end

local function aged(stage, last, cause)
  local from, to = scoreRange(stage, 0, last)
  local old = last < 0 and {} or call('ZRANGEBYSCORE', IDX, from, to, 'WITHSCORES')
  if #old == 0 then return end
  local touched = {}
  for i = 1, #changed do touched[changed[i]] = true end
  for i = 1, #old, 2 do
    if not touched[old[i]] then change(old[i], old[i + 1], cause) end
  end
end

local seen, unseen = hashes(ARGV[11]), hashes(ARGV[12])
named(seen, confirming)
named(unseen, returning)
aged(PROPAGATED, dropTick, dropping)
aged(ACKNOWLEDGED, dropTick, dropping)
aged(CONFIRMED, finalTick, finalizing)
local finalized = finalizing.count + (atOnce and confirming.count or 0)
applyBlock(order(changed, seqs, texts), finalized + dropping.count)
local digits = string.format('%d', tick)
call('HSET', BLOCKS, digits, point .. struct.pack('>I8', logSeq), point, digits)
local inclusions = {}
for i = 1, #seen do inclusions[2 * i - 1], inclusions[2 * i] = digits, seen[i] end
trimBlocks()
each(unseen, 'ZREM', SEEN)
each(inclusions, 'ZADD', SEEN, 'NX')
save('tick', digits, 'floor', floorTick, 'tip', tip, 'logSeq', logSeq, 'logFirst', logFirst)
return finish({ 'applied', tip, tick, confirming.count, returning.count, finalized, dropping.count })
