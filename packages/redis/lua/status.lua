-- Purpose: what became of each hash.
-- KEYS: keys.lua   ARGV: 1 packed hashes
-- Returns: { tick, then for each: its score or nil, and the confirming point of a Confirmed one, the log entry of a final one }
-- Rules: O3
local list = hashes(ARGV[1])
local reply = { tick }
local places, texts = scores(IDX, list)
for i, at in ipairs(places) do
  reply[2 * i] = texts[i]
  reply[2 * i + 1] = ''
  if at and at >= FINALIZED * T then
    reply[2 * i + 1] = call('HGET', LOG, at % T)
  elseif at and at >= CONFIRMED * T then
    reply[2 * i + 1] = pointOf(at % T)
  end
end
return reply
