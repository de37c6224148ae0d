-- Purpose: a page of the transactions to gossip, in order of seq, without payloads.
-- KEYS: pool/keys.lua   ARGV: 1 after, 2 limit
-- Returns: { epoch, then for each hash, seq, bytes }
local reply, found = { epoch }, waiting(ARGV[1], tonumber(ARGV[2]))
for i = 1, #found, 2 do
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = found[i], found[i + 1], size(found[i])
end
return reply
