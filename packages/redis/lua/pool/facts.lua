-- Purpose: reads the facts of live transactions: when each was received, how often it went out, and when it last did.
-- Facts take 14 bytes: received as u48, attempts as u16, sent as u48. Zeros: not known, or never. `sent` is there while the transaction is
-- Propagated or Acknowledged.
-- In a fifo pool they are in the key `facts` beside meta, a hash, for most calls touch neighbours: its field n has a byte with the
-- number of live transactions, a byte with the number of those with `sent`, then the facts of the seqs from 128 n on. In a priority
-- pool they stand in front of the entry (pool/entry.lua).
-- Rules: O8
local FACTS, perField = string.sub(META, 1, -5) .. 'facts', 128
local SENT = string.sub(META, 1, -5) .. 'sent'

-- After members of `sent` were removed.
local function forgetSent()
  if call('EXISTS', SENT) == 0 then call('HDEL', META, 'sent') end
end

local openField, fieldValue

-- Where the facts of a seq begin in its field, counted from 0.
local function factsPlace(number)
  return 2 + factsBytes * (number % perField)
end

local function fieldFacts(number)
  local field = string.format('%d', math.floor(number / perField))
  if field ~= openField then openField, fieldValue = field, call('HGET', FACTS, field) or '' end
  local place = factsPlace(number)
  local facts = string.sub(fieldValue, place + 1, place + factsBytes)
  return #facts == factsBytes and facts or noFacts
end

local function factsOf(hash, number)
  if not KEYS[15] then return fieldFacts(number) end
  local packed = call('HGET', KEYS[13], hash)
  if not packed then return noFacts end
  return (unpackEntry(packed))
end
