-- Purpose: the status of each hash.
-- KEYS: pool/keys.lua   ARGV: 1 packed hashes
-- Returns: { tick, then for each { score or nil, the confirming point if Confirmed, the log entry if final } }
-- Rules: O3
local list = hashes(ARGV[1])
local reply = { tick }
local places, texts = scores(IDX, list)
for i, at in ipairs(places) do
  local detail = ''
  if at and at >= FINALIZED * T then
    detail = call('HGET', LOG, at % T)
  elseif at and at >= CONFIRMED * T then
    detail = pointOf(tickOf(at))
  end
  reply[i + 1] = { texts[i], detail }
end
return reply
