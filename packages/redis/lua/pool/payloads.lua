-- Purpose: the stored bodies of transactions, live or in the log.
-- KEYS: pool/keys.lua   ARGV: 1 packed hashes, 2 bytes after which the answer ends
-- Returns: { record or nil of each hash … }
-- Rules: D3
local reply, bytes = {}, 0
for i, hash in ipairs(hashes(ARGV[1])) do
  local record = call('HGET', BODY, hash)
  reply[i] = record
  bytes = bytes + (record and #record or 0)
  if bytes > tonumber(ARGV[2]) then break end
end
return reply
