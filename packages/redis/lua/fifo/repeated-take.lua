-- Purpose: answers a repeated take with the transactions that are still under its claim.
-- ARGV: 1 id, 2 verb, the last one: the digest of the arguments
-- Rules: X2
local before = call('HGET', OPS, ARGV[1]) or call('HGET', OPS_OLD, ARGV[1])
local known = before and cmsgpack.unpack(before)
if known and known[1] == ARGV[2] and (not known[3] or known[3] == ARGV[#ARGV]) then
  local owner, untilMs, packed = unpack(known[2])
  local reply, list = { owner, untilMs }, hashes(packed)
  local ids, _, texts = ask(list, 'HMGET', CLAIMED), scores(FLIGHT, list)
  for i, hash in ipairs(list) do
    if ids[i] == ARGV[1] then
      local n = #reply
      reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = hash, texts[i], size(hash), string.sub(factsOf(hash), 1, 8)
    end
  end
  return reply
end
