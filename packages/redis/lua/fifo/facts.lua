-- Purpose: writes the facts of pool/facts.lua in a fifo pool. A call names each transaction at most once.
-- Each function returns what the event tells of the facts, its last two elements: the attempts, and when it was received.
-- `meta` says whether there are any facts, and any that went out, so that the loss of a key is noticed.
-- Rules: O8, L14, E1
local keptBytes, nowhere = 8, string.rep('\0', 6)
local emptyKept = string.rep('\0', keptBytes)
local packedTime, told, arrive, stay, goOut, comeBack, ending, revive, saveFacts
do
  local callAt, lastKept, lastTold
  local written, removed, joined, departed = {}, {}, {}, {}

  -- The time of the call (E5).
  packedTime = function()
    callAt = callAt or eventTime(ARGV[#ARGV - 1])
    return pack('>I6', callAt)
  end

  local function keptOf(facts)
    return string.sub(facts, 1, keptBytes)
  end

  local function put(hash, facts)
    local n = #written
    written[n + 1], written[n + 2] = hash, facts
  end

  -- It is no longer Propagated or Acknowledged. True if it was.
  local function leave(hash, number, facts)
    local was = string.sub(facts, keptBytes + 1) ~= nowhere
    if was then departed[#departed + 1] = memberOf(number, hash) end
    return was
  end

  -- Most transactions of a call have the same facts.
  told = function(kept)
    if kept ~= lastKept then
      local received, attempts = struct.unpack('>I6I2', kept)
      lastKept, lastTold = kept, head(0, attempts) .. (received == 0 and '\246' or head(0, received))
    end
    return lastTold
  end

  arrive = function(hash)
    put(hash, packedTime() .. '\0\0' .. nowhere)
  end

  stay = function(hash)
    return told(keptOf(factsOf(hash)))
  end

  -- The second result are the facts afterwards, without when it went out.
  goOut = function(hash, number)
    local received, attempts = struct.unpack('>I6I2', factsOf(hash))
    local kept = pack('>I6I2', received, math.min(attempts + 1, 65535))
    put(hash, kept .. packedTime())
    local n = #joined
    joined[n + 1], joined[n + 2] = callAt, memberOf(number, hash)
    return told(kept), kept
  end

  -- It is no longer Propagated or Acknowledged, but live.
  comeBack = function(hash, number)
    local facts = factsOf(hash)
    local kept = keptOf(facts)
    if leave(hash, number, facts) then put(hash, kept .. nowhere) end
    return told(kept)
  end

  -- It is final. The second result goes into its log entry.
  ending = function(hash, number)
    local facts = factsOf(hash)
    leave(hash, number, facts)
    removed[#removed + 1] = hash
    return told(keptOf(facts)), keptOf(facts)
  end

  -- It was final. `kept`: from its log entry.
  revive = function(hash, kept)
    if kept ~= emptyKept then put(hash, kept .. nowhere) end
    return told(kept)
  end

  -- Sets or deletes the field of `meta` that says whether a key exists.
  local function note(key, field, joins, leaves)
    if joins then
      call('HSET', META, field, 1)
    elseif leaves and call('EXISTS', key) == 0 then
      call('HDEL', META, field)
    end
  end

  saveFacts = function()
    each(departed, 'ZREM', SENT)
    each(removed, 'HDEL', FACTS)
    each(written, 'HSET', FACTS)
    each(joined, 'ZADD', SENT)
    note(FACTS, 'facts', #written > 0, #removed > 0)
    note(SENT, 'sent', #joined > 0, #departed > 0)
  end
end
