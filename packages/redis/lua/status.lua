-- Purpose: what became of each hash.
-- KEYS: keys.lua   ARGV: 1 packed hashes
-- Returns: { tick, then for each: its score or nil, and the confirming point of a Confirmed one, the log entry of a final one }
-- Rules: O3
local list = hashes(ARGV[1])
local reply = { tick }
for i, at in ipairs(scores(IDX, list)) do
  reply[2 * i] = at and string.format('%.0f', at)
  reply[2 * i + 1] = ''
  if at and at >= FINALIZED * T then
    reply[2 * i + 1] = call('HGET', LOG, string.format('%.0f', at % T))
  elseif at and at >= CONFIRMED * T then
    reply[2 * i + 1] = pointOf(at % T)
  end
end
return reply
