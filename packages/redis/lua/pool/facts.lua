-- Purpose: reads the facts of live transactions: when each was received, how often it went out, and when it last did.
-- Facts take 14 bytes: received as u48, attempts as u16, sent as u48. Zeros: not known, or never. `sent` is there while the transaction is
-- Propagated or Acknowledged.
-- In a fifo pool they are in the key `facts` beside meta, a hash by the hashes of the transactions. In a priority pool they stand in front of
-- the entry (pool/entry.lua).
-- `sent`, a key beside meta of a fifo pool: a sorted set of the transactions that are Propagated or Acknowledged, by when they went out. Its
-- members are made by `memberOf`.
-- Rules: O8
local FACTS, SENT = string.sub(META, 1, -5) .. 'facts', string.sub(META, 1, -5) .. 'sent'

local function factsOf(hash)
  if not KEYS[15] then return call('HGET', FACTS, hash) or noFacts end
  local packed = call('HGET', KEYS[13], hash)
  return packed and unpackEntry(packed) or noFacts
end
