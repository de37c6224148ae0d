-- Purpose: ends lives: appends to the terminal log, freezes counters, trims the log and forgets what has left it.
-- Rules: L6, O3, O4
local finals = {}

-- Notes an end; `note` is the confirming point of a Finalized one, the reason of a Dropped one.
local function finalize(hash, number, stage, at, confirmed, missed, note)
  finals[#finals + 1] = { hash, number, stage, at, confirmed, missed, note }
end

local function forget(gone)
  each(gone, nil, 'ZREM', IDX)
  each(gone, nil, 'ZREM', FINAL)
  each(gone, nil, 'HDEL', BODY)
end

local function trimLog()
  local last = logSeq - maxFinalized
  while logFirst <= last do
    local numbers, gone, names = {}, {}, {}
    for n = logFirst, math.min(last, logFirst + part - 1) do numbers[#numbers + 1] = string.format('%.0f', n) end
    local places = {}
    for i, entry in ipairs(values(LOG, numbers)) do
      local hash = entryHash(entry)
      if hash then
        names[#names + 1] = hash
        places[#names] = logFirst + i - 1
      end
    end
    local at = scores(IDX, names)
    for i = 1, #names do
      if at[i] and at[i] >= FINALIZED * T and at[i] % T == places[i] then gone[#gone + 1] = names[i] end
    end
    forget(gone)
    each(numbers, nil, 'HDEL', LOG)
    logFirst = logFirst + #numbers
  end
end

-- Writes what `finalize` noted, which must be in seq order. Those that the same call would trim again are not written at all.
local function closeLives()
  local skipped = math.max(0, #finals - maxFinalized)
  local gone, ended, index, entries, byTick = {}, {}, {}, {}, {}
  for i, final in ipairs(finals) do
    local hash, number, stage, at, confirmed, missed, note = unpack(final)
    ended[i] = hash
    logSeq = logSeq + 1
    if i <= skipped then
      gone[i] = hash
    else
      local n = #index
      index[n + 1], index[n + 2] = stage * T + logSeq, hash
      entries[n + 1] = string.format('%.0f', logSeq)
      entries[n + 2] = struct.pack('>BI8I8I8I8B', stage, number, at, confirmed, missed, #hash) .. hash .. note
      if stage == FINALIZED then
        byTick[#byTick + 1] = at
        byTick[#byTick + 1] = hash
      end
    end
  end
  each(ended, nil, 'ZREM', FLIGHT)
  forget(gone)
  each(index, nil, 'ZADD', IDX)
  each(entries, nil, 'HSET', LOG)
  each(byTick, nil, 'ZADD', FINAL)
  trimLog()
end
