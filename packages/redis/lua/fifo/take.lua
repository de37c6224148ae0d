-- Purpose: reaps, and marks what it found as Propagated under a claim, in one step.
-- KEYS: pool/keys.lua   ARGV: 1 id, also that of the claim, 2 verb, 3 owner, 4 claimMs, 5 the caller's time or '', 6–9
-- fifo/reap.lua
-- Returns: { owner, end of the claim, then for each transaction hash, seq, bytes, received and attempts (pool/facts.lua) }
-- The hashes are recorded, not the reply: fifo/repeated-take.lua answers a repeat with what is left of the claim.
-- Rules: L3, P20, X1, X2
local maxWoken = 1000
local untilMs = math.min(math.floor(callTime(ARGV[5], own)) + tonumber(ARGV[4]), 2 ^ 53 - 1)
untilMs = string.format('%d', untilMs)
wake(due(callTime(ARGV[5], own), maxWoken))
local found = reap(6)
local packed, index, joined, leases, taken, reply = {}, {}, {}, {}, {}, { ARGV[3], untilMs }
local propagated, marked = scorePrefix(PROPAGATED, tick), tail(CAUSE.taken, PROPAGATED, PENDING, 0, 0, 0, 0)
for i = 1, #found, 3 do
  local hash, text = found[i], found[i + 1]
  local number, n = tonumber(text), #index
  local facts, kept = goOut(hash, number)
  event(hash, number, marked, facts)
  packed[#packed + 1] = char(#hash) .. hash
  index[n + 1], index[n + 2] = inflightScore(propagated, text), hash
  joined[n + 1], joined[n + 2] = text, hash
  leases[n + 1], leases[n + 2] = untilMs, memberOf(number, hash)
  taken[n + 1], taken[n + 2] = hash, ARGV[1]
  local m = #reply
  reply[m + 1], reply[m + 2], reply[m + 3], reply[m + 4] = hash, text, found[i + 2], kept
end
if #found > 0 then
  -- The id may be an old one that is no longer recorded, with transactions that are still under its claim.
  local former = hashes(call('HGET', LOTS, 'h' .. ARGV[1]) or '')
  for i, owner in ipairs(ask(former, 'HMGET', CLAIMED)) do
    if owner == ARGV[1] then packed[#packed + 1] = char(#former[i]) .. former[i] end
  end
  each(index, 'ZADD', IDX)
  each(joined, 'ZADD', FLIGHT)
  each(leases, 'ZADD', CLAIMS)
  each(taken, 'HSET', CLAIMED)
  call('HSET', LOTS, 'h' .. ARGV[1], table.concat(packed), 'n' .. ARGV[1], #packed)
  save('leases', 1)
end
finish({ ARGV[3], untilMs, table.concat(packed) })
return reply
