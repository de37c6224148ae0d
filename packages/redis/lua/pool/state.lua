-- Purpose: the pool's numbers from `meta`, and functions that read and write its records.
-- Errors: MEMPOOL_IMPORTING (a page of an import is missing), MEMPOOL_GONE (there is no pool: never created, or flushed), MEMPOOL_FORMAT as in pool/keys.lua, MEMPOOL_CORRUPT (a damaged number)
-- Rules: X1, N2
local format, epoch, seq, tick, floorTick, tip, logSeq, logFirst, eventSeq, trail, maxFinalized, maxEvents, maxRollback,
  maxTxs, hasClaims, hasHeld, hasFacts, hasSent, lastAt, largest
do
  -- A script has at most 200 local variables.
  local importing
  format, epoch, seq, tick, floorTick, tip, logSeq, logFirst, eventSeq, trail, maxFinalized, maxEvents, maxRollback,
    maxTxs, hasClaims, hasHeld, hasFacts, hasSent, lastAt, largest, importing =
    unpack(call('HMGET', META, 'format', 'epoch', 'seq', 'tick', 'floor', 'tip', 'logSeq', 'logFirst', 'eventSeq',
      'trail', 'maxFinalized', 'maxEvents', 'maxRollback', 'maxTxs', 'leases', 'held', 'facts', 'sent', 'at',
      'largest', 'importing'))
  if importing then return redis.error_reply('MEMPOOL_IMPORTING an import is not complete') end
end
if not format then return redis.error_reply('MEMPOOL_GONE no pool') end
if format ~= FORMAT then return misfit(format) end
seq, tick, floorTick, logSeq, logFirst = tonumber(seq), tonumber(tick), tonumber(floorTick), tonumber(logSeq), tonumber(logFirst)
eventSeq, trail, maxFinalized = tonumber(eventSeq), trail or '', tonumber(maxFinalized)
maxEvents, maxRollback = tonumber(maxEvents), tonumber(maxRollback)
-- No record has more bytes than `largest`.
lastAt, largest = tonumber(lastAt), tonumber(largest)
if not (seq and tick and floorTick and logSeq and logFirst and eventSeq and maxFinalized and maxEvents and maxRollback and epoch and tip
  and lastAt and largest) then
  return redis.error_reply('MEMPOOL_CORRUPT its numbers in the key meta are damaged')
end

-- Scores of `idx` are formatted from integers: the conversion of large doubles is slow. The score of a final transaction:
local function finalScore(stage, number)
  return string.format('%d%015d', stage, number)
end

-- In flight: the digits that all scores of a stage and tick begin with; and the whole score, with the last digits of the seq, or of
-- another score of the same transaction.
local function scorePrefix(stage, at)
  return string.format('%d%09d', stage, at)
end
local substring, inflightScore = string.sub, nil
do
  local zeros = { '00000', '0000', '000', '00', '0', '' }
  function inflightScore(opened, digits)
    local padding = zeros[#digits]
    return padding and opened .. padding .. digits or opened .. substring(digits, -6)
  end
end

-- The tick of a score in flight; and the range of scores of a stage, from one tick to another.
local function tickOf(score)
  return math.floor(score % T / P)
end
local function scoreRange(stage, first, last)
  return stage * T + first * P, stage * T + last * P + P - 1
end

-- `blocks` has two fields for each kept block: its tick by the point; and by the tick the point and, as u64, the newest logSeq after
-- that block.
local points = {}
local function pointOf(at)
  if points[at] == nil then
    local block = call('HGET', BLOCKS, at)
    points[at] = block and string.sub(block, 1, 40)
  end
  return points[at]
end

-- A log entry: stage, seq, tick, confirmations, non-confirmations, hash, then the point or the reason; received as u48 and attempts as u16
-- (pool/facts.lua), and when the entry was written, as u48. Ticks have four bytes: they have at most nine digits.
local entryFormat = '>BI8I4I4I4B'
local function entryHash(entry)
  local size = entry and entry:byte(22)
  return size and #entry >= 22 + size and entry:sub(23, 22 + size)
end

-- Of an entry that has a hash: stage, seq, tick, confirmations, non-confirmations.
local function entryNumbers(entry)
  return struct.unpack(entryFormat, entry)
end

local function entryFacts(entry)
  return entry:sub(-14, -7)
end

-- The seq, confirmations, non-confirmations and facts of a final transaction; nil if its log entry is damaged.
local function endOf(hash, score)
  local entry = call('HGET', LOG, string.format('%d', score % T))
  if entryHash(entry) ~= hash then return nil end
  local stage, number, _, confirmed, missed = entryNumbers(entry)
  if stage == math.floor(score / T) and number <= seq then return number, confirmed, missed, entryFacts(entry) end
end
