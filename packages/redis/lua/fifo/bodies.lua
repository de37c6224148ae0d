-- Purpose: the records of live transactions.
-- KEYS: pool/keys.lua   ARGV: 1 packed hashes
-- Returns: for each hash, in the same order, { seq, record or nil } of a live transaction, else nil
-- Rules: M2
local list, reply = hashes(ARGV[1]), {}
local at = scores(IDX, list)
local _, inflight = scores(FLIGHT, list)
for i, hash in ipairs(list) do
  local isLive = at[i] and at[i] < FINALIZED * T
  local seqOfPending = isLive and string.format('%d', at[i] % H)
  reply[i] = isLive and { inflight[i] or seqOfPending, call('HGET', BODY, hash) }
end
return reply
