-- Purpose: the pool's numbers from `meta`, and how the scripts read lists: the arguments packed as one string, hashes each
-- behind a byte of length, and variadic commands in parts that Lua's stack can take.
-- Errors: MEMPOOL_GONE (no pool here: never made, or flushed), MEMPOOL_FORMAT <format> of another version
-- Rules: X1, N2
local format, epoch, seq, tick, base, tip, logSeq, logFirst, eventSeq, maxFinalized, maxEvents, maxRollback =
  unpack(call('HMGET', META, 'format', 'epoch', 'seq', 'tick', 'floor', 'tip', 'logSeq', 'logFirst', 'eventSeq',
    'maxFinalized', 'maxEvents', 'maxRollback'))
if not format then return redis.error_reply('MEMPOOL_GONE no pool') end
if format ~= '1' then return redis.error_reply('MEMPOOL_FORMAT ' .. format) end
seq, tick, base, logSeq, logFirst = tonumber(seq), tonumber(tick), tonumber(base), tonumber(logSeq), tonumber(logFirst)
eventSeq, maxFinalized = tonumber(eventSeq), tonumber(maxFinalized)
maxEvents, maxRollback = tonumber(maxEvents), tonumber(maxRollback)

local part = 2000

local function hashes(packed)
  local list, n, at = {}, 0, 1
  while at <= #packed do
    n = n + 1
    list[n], at = struct.unpack('Bc0', packed, at)
  end
  return list
end

-- Calls `command key …list` in parts; `read` gets each part's reply and the place before its first element.
local function each(list, read, command, key, ...)
  local more = { ... }
  local head = #more
  for from = 1, #list, part do
    local to = math.min(from + part - 1, #list)
    local reply
    if head == 0 then
      reply = call(command, key, unpack(list, from, to))
    else
      local args = {}
      for i = 1, head do args[i] = more[i] end
      for i = from, to do args[head + i - from + 1] = list[i] end
      reply = call(command, key, unpack(args))
    end
    if read then read(reply, from - 1) end
  end
end

-- The score of each hash in a sorted set, or false; then the same as the server wrote them.
local function scores(key, list)
  local numbers, texts = {}, {}
  each(list, function(reply, before)
    for i = 1, #reply do
      local text = reply[i]
      texts[before + i], numbers[before + i] = text, text and tonumber(text)
    end
  end, 'ZMSCORE', key)
  return numbers, texts
end

-- A score of `idx`. Written digit by digit: the conversion of large doubles is slow.
local function place(stage, number)
  return string.format('%d%015d', stage, number)
end

-- The value of each field of a hash, or false.
local function values(key, list)
  local found = {}
  each(list, function(reply, before)
    for i = 1, #reply do found[before + i] = reply[i] end
  end, 'HMGET', key)
  return found
end

-- `blocks`: a kept point's tick by the point, and by the tick the point and, as u64, the newest logSeq after that block.
local points = {}
local function pointOf(at)
  if points[at] == nil then
    local block = call('HGET', BLOCKS, at)
    points[at] = block and string.sub(block, 1, 40)
  end
  return points[at]
end

-- A log entry: stage, seq, tick, confirmations, non-confirmations, hash, and behind it the point or the reason.
local entryFormat = '>BI8I8I8I8Bc0'
local function entryHash(entry)
  local size = entry and entry:byte(34)
  return size and #entry >= 34 + size and entry:sub(35, 34 + size)
end
