-- Purpose: the status of each hash.
-- KEYS: pool/keys.lua   ARGV: 1 packed hashes
-- Returns: { tick, then for each { score or nil, the confirming point if Confirmed, the log entry if final, the time until which it is
-- held back; facts if live } }
-- Rules: O3, O8, P20
local list = hashes(ARGV[1])
local reply = { tick }
local places, texts = scores(IDX, list)
for i, at in ipairs(places) do
  local detail = ''
  if at and at >= FINALIZED * T then
    detail = call('HGET', LOG, at % T)
  elseif at and at >= CONFIRMED * T then
    detail = pointOf(tickOf(at))
  elseif at and at >= H and at < T then
    detail = call('ZSCORE', HELD, memberOf(at % H, list[i]))
  end
  local facts = at and at < FINALIZED * T and factsOf(list[i]) or ''
  reply[i + 1] = { texts[i], detail, facts }
end
return reply
