-- Purpose: packs the events of a call as CBOR arrays, which core's codec reads.
-- Rules: E1, E2, E3, E5, E6
-- Four strings for each event, concatenated once for all: an intermediate string would cost as much as the event.
local rows, count = {}, 0

local function bytes(value)
  return value and head(64, #value) .. value or '\246'
end

local function row(a, b, c, d)
  local n = 4 * count
  count = count + 1
  rows[n + 1], rows[n + 2], rows[n + 3], rows[n + 4] = a, b, c, d
end

-- `nodeId` and `term` of the lease that came with the call, '' without one.
local function blockEvent(action, point, at, nodeId, term)
  local leader = nodeId == '' and '\246\246' or head(96, #nodeId) .. nodeId .. head(0, tonumber(term))
  row(char(133, action), bytes(point), head(0, at) .. leader, '')
end

-- The part of an event after hash and seq, without the facts. Most events of a call share it, so the last one is cached.
local last, lastTail = {}, nil
local function tail(cause, stage, before, confirmedBefore, missedBefore, confirmed, missed, point, reason)
  local l = last
  if l[1] == stage and l[2] == before and l[3] == confirmedBefore and l[4] == missedBefore and l[5] == confirmed
    and l[6] == missed and l[7] == point and l[8] == reason and l[9] == cause then return lastTail end
  last = { stage, before, confirmedBefore, missedBefore, confirmed, missed, point, reason, cause }
  lastTail = char(stage, before) .. head(0, confirmedBefore) .. head(0, missedBefore) .. head(0, confirmed)
    .. head(0, missed) .. bytes(point) .. (reason and head(96, #reason) .. reason or '\246')
    .. char(cause)
  return lastTail
end

-- `facts`: the attempts, and when it was received: 0 is the time of this call. Most events of a call share both parts.
local starts, arrived, lastRest, lastFacts, lastEnd = {}, '\0\0', nil, nil, nil
local function event(hash, number, rest, facts)
  if rest ~= lastRest or facts ~= lastFacts then
    lastRest, lastFacts, lastEnd = rest, facts, rest .. facts
  end
  local start = starts[#hash]
  if not start then
    start = '\141' .. head(64, #hash)
    starts[#hash] = start
  end
  row(start, hash, head(0, number), lastEnd)
end

local function publish(at)
  for from = 0, count - 1, 1000 do
    local size = math.min(1000, count - from)
    append(size, head(128, size) .. table.concat(rows, '', 4 * from + 1, 4 * (from + size)), at)
  end
end
