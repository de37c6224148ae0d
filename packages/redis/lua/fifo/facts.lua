-- Purpose: writes the facts of pool/facts.lua in a fifo pool. A call names each transaction at most once, and in order of seq, so a field is
-- written in one pass.
-- Each function returns what the event tells of the facts, its last two elements: the attempts, and when it was received.
-- `sent`, a key beside meta: a sorted set of the fields with transactions that are Propagated or Acknowledged. A score is at most the
-- lowest `sent` in the field. `meta` says whether there are any, so that the loss of the key is noticed.
-- Rules: O8, L14, E1
local nowhere, keptBytes = string.rep('\0', 6), 8
local emptyKept = string.rep('\0', keptBytes)
local packedTime, told, arrive, stay, goOut, comeBack, ending, revive, saveFacts

-- A member of `sent`: fields in order of number.
local function sentMember(field)
  return string.format('%016d', field)
end

do
  local sub, rep, callAt = string.sub, string.rep, nil
  local field, value, pieces, copied, filled, waiting
  local written, emptied, departed, joined = {}, {}, {}, {}

  -- The time of the call (E5).
  packedTime = function()
    callAt = callAt or eventTime(ARGV[#ARGV - 1])
    return pack('>I6', callAt)
  end

  local function closeField()
    if not pieces then return end
    if filled == 0 then
      emptied[#emptied + 1] = field
    else
      written[#written + 1] = field
      written[#written + 1] = char(filled, waiting) .. table.concat(pieces) .. sub(value, copied + 1)
    end
    if waiting == 0 then departed[#departed + 1] = sentMember(field) end
    pieces = nil
  end

  local function read(number)
    local name = string.format('%d', math.floor(number / perField))
    if name ~= field then
      closeField()
      field, value, copied = name, call('HGET', FACTS, name) or '\0\0', 2
      filled, waiting = value:byte(1, 2)
    end
    local place = factsPlace(number)
    local facts = sub(value, place + 1, place + factsBytes)
    return #facts == factsBytes and facts or noFacts
  end

  -- After `read` of the same transactions. `more`: by how much the numbers in front of the field change.
  local function put(number, facts, moreFilled, moreWaiting)
    local place = factsPlace(number)
    pieces = pieces or {}
    if #value < place then value = value .. rep('\0', place - #value) end
    pieces[#pieces + 1] = sub(value, copied + 1, place)
    pieces[#pieces + 1] = facts
    copied, filled, waiting = place + #facts, filled + moreFilled, waiting + moreWaiting
  end

  local function waits(facts)
    return sub(facts, keptBytes + 1) ~= nowhere and 1 or 0
  end

  -- Most transactions of a call have the same facts.
  local lastKept, lastTold
  told = function(kept)
    if kept ~= lastKept then
      local received, attempts = struct.unpack('>I6I2', kept)
      lastKept, lastTold = kept, head(0, attempts) .. (received == 0 and '\246' or head(0, received))
    end
    return lastTold
  end

  -- New transactions, with the seqs from `first` on.
  arrive = function(first, count)
    local facts, last = packedTime() .. rep('\0', factsBytes - 6), first + count - 1
    while first <= last do
      local size = math.min(perField - first % perField, last - first + 1)
      read(first)
      put(first, rep(facts, size), size, 0)
      first = first + size
    end
  end

  stay = function(number)
    return told(sub(read(number), 1, keptBytes))
  end

  -- The second result are the facts afterwards, without when it went out.
  local lastFrom, lastOut
  goOut = function(number)
    local kept = sub(read(number), 1, keptBytes)
    if kept ~= lastFrom then
      local received, attempts = struct.unpack('>I6I2', kept)
      lastFrom, lastOut = kept, pack('>I6I2', received, math.min(attempts + 1, 65535))
    end
    put(number, lastOut .. packedTime(), kept == emptyKept and 1 or 0, 1)
    joined[field] = true
    return told(lastOut), lastOut
  end

  -- It is no longer Propagated or Acknowledged, but live.
  comeBack = function(number)
    local facts = read(number)
    local kept = sub(facts, 1, keptBytes)
    if waits(facts) == 1 then put(number, kept .. nowhere, 0, -1) end
    return told(kept)
  end

  -- It is final. The second result goes into its log entry.
  ending = function(number)
    local facts = read(number)
    local kept = sub(facts, 1, keptBytes)
    if facts ~= noFacts then put(number, noFacts, -1, -waits(facts)) end
    return told(kept), kept
  end

  -- It was final. `kept`: from its log entry.
  revive = function(number, kept)
    read(number)
    if kept ~= emptyKept then put(number, kept .. nowhere, 1, 0) end
    return told(kept)
  end

  saveFacts = function()
    closeField()
    local outgoing = {}
    for i = 1, #written, 2 do
      if joined[written[i]] then
        outgoing[#outgoing + 1] = callAt
        outgoing[#outgoing + 1] = sentMember(written[i])
      end
    end
    each(departed, 'ZREM', SENT)
    each(written, 'HSET', FACTS)
    each(emptied, 'HDEL', FACTS)
    each(outgoing, 'ZADD', SENT, 'NX')
    if #emptied > 0 and call('EXISTS', FACTS) == 0 then call('HDEL', META, 'facts') end
    if #written > 0 then call('HSET', META, 'facts', 1) end
    if #outgoing > 0 then
      call('HSET', META, 'sent', 1)
    elseif #departed > 0 then
      forgetSent()
    end
  end
end
