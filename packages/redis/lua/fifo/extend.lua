-- Purpose: lets a claim end later.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 id of the claim, 4 claimMs, 5 the caller's time or ''
-- Returns: { end of the claim, number of transactions under it } | { '0', 0 } if there are none
-- Rules: P19, X1
local packed = hasClaims and call('HGET', LOTS, 'h' .. ARGV[3])
local list, leases, last = packed and hashes(packed) or {}, {}, 0
local held = {}
for i, owner in ipairs(ask(list, 'HMGET', CLAIMED)) do
  if owner == ARGV[3] then held[#held + 1] = list[i] end
end
local numbers = scores(FLIGHT, held)
for i, hash in ipairs(held) do
  if numbers[i] then leases[#leases + 1] = memberOf(numbers[i], hash) end
end
for _, untilMs in ipairs(ask(leases, 'ZMSCORE', CLAIMS)) do last = math.max(last, tonumber(untilMs) or 0) end
local asked = math.min(math.floor(callTime(ARGV[5], own)) + tonumber(ARGV[4]), 2 ^ 53 - 1)
if #leases == 0 then return finish({ '0', 0 }) end
local untilMs = string.format('%d', math.max(last, asked))
local later = {}
for i, member in ipairs(leases) do later[2 * i - 1], later[2 * i] = untilMs, member end
if asked > last then each(later, 'ZADD', CLAIMS) end
return finish({ untilMs, #leases })
