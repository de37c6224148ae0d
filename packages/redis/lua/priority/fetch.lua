-- Purpose: payloads of a priority pool, with the changes that a mirror lacks.
-- KEYS: priority/changes.lua   ARGV: 1 packed hashes, 2–4 epoch, version and stamp of the mirror, 5 payload bytes after which the answer ends
-- Returns: { as `compare` of priority/changes.lua, record or nil of each hash … }
-- Rules: O6, N1
local list, limit = hashes(ARGV[1]), tonumber(ARGV[5])
local reply, bytes, few = { compare(ARGV[2], tonumber(ARGV[3]), ARGV[4]) }, 0, 16
for from = 1, #list, few do
  for _, record in ipairs(call('HMGET', BODY, unpack(list, from, math.min(from + few - 1, #list)))) do
    reply[#reply + 1] = record
    bytes = bytes + (record and #record or 0)
  end
  if bytes > limit then break end
end
return reply
