-- Purpose: ends claims (fifo/take.lua): the first event of a transaction ends its claim. `meta` says whether there are any claims; if
-- not, nothing more is read.
-- Two keys beside meta: `leases`, a sorted set by the end of the claim, whose members are the seq in CBOR, which sorts like the number,
-- and the hash; and `taken`, the ids of the claims by hash. Calls do not name them as KEYS: most pools never have them.
-- Error: MEMPOOL_TYPE <key of another type>
-- Rules: X1, N2
local CLAIMS, CLAIMED, endClaims
if hasClaims or ARGV[2] == 'take' then
  local prefix = string.sub(META, 1, -5)
  CLAIMS, CLAIMED = prefix .. 'leases', prefix .. 'taken'
  for key, kind in pairs({ [CLAIMS] = 'zset', [CLAIMED] = 'hash' }) do
    local found = call('TYPE', key).ok
    if found ~= kind and found ~= 'none' then return redis.error_reply('MEMPOOL_TYPE a key of another type is in its place: ' .. key) end
  end

  endClaims = function()
    local ended, names = {}, {}
    for n = 4, 4 * count, 4 do
      -- The event of a block has no tail; in that of a transaction the second byte is the previous stage.
      if rows[n] ~= '' and rows[n]:byte(2) == PROPAGATED then
        ended[#ended + 1] = rows[n - 1] .. rows[n - 2]
        names[#names + 1] = rows[n - 2]
      end
    end
    if #ended == 0 then return end
    each(ended, 'ZREM', CLAIMS)
    each(names, 'HDEL', CLAIMED)
    if call('EXISTS', CLAIMS) == 0 then call('HDEL', META, 'leases') end
  end
end
