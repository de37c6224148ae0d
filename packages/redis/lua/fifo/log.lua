-- Purpose: writes final states: appends to the terminal log with frozen counters, trims the log, and deletes what has left it.
-- Rules: L6, O3, O4
local ended, index, entries, gone = {}, {}, {}, {}
local skipped = 0

-- Announces, before the first, how many final states the call writes: those that the same call would trim are not written at all.
local function expectEnds(count)
  skipped = math.max(0, count - maxFinalized)
end

-- Notes one final state, in order of seq. `note`: the confirming point of Finalized, the reason of Dropped. `kept`: its facts.
local function finalize(hash, number, stage, at, confirmed, missed, note, kept)
  local i = #ended + 1
  ended[i] = hash
  logSeq = logSeq + 1
  if i <= skipped then
    gone[i] = hash
    return
  end
  local n = #index
  index[n + 1], index[n + 2] = finalScore(stage, logSeq), hash
  entries[n + 1] = string.format('%d', logSeq)
  entries[n + 2] = struct.pack(entryFormat, stage, number, at, confirmed, missed, #hash) .. hash .. note .. kept .. packedTime()
end

local function forget(hashes)
  each(hashes, 'ZREM', IDX)
  each(hashes, 'HDEL', BODY)
end

local function trimLog()
  local last = logSeq - maxFinalized
  while logFirst <= last do
    local numbers, names, old = {}, {}, {}
    for n = logFirst, math.min(last, logFirst + part - 1) do numbers[#numbers + 1] = string.format('%d', n) end
    for i, entry in ipairs(ask(numbers, 'HMGET', LOG)) do names[i] = entryHash(entry) or '' end
    for i, at in ipairs((scores(IDX, names))) do
      local number = logFirst + i - 1
      if not at then
        -- The entry is damaged; the index has its hash.
        for stage = FINALIZED, DROPPED do
          old[#old + 1] = call('ZRANGEBYSCORE', IDX, finalScore(stage, number), finalScore(stage, number))[1]
        end
      elseif at >= FINALIZED * T and at % T == number then
        old[#old + 1] = names[i]
      end
    end
    forget(old)
    each(numbers, 'HDEL', LOG)
    logFirst = logFirst + #numbers
  end
end

-- Writes what `finalize` has noted.
local function writeEnds()
  each(ended, 'ZREM', FLIGHT)
  forget(gone)
  each(index, 'ZADD', IDX)
  each(entries, 'HSET', LOG)
  trimLog()
end
