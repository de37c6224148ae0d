-- Purpose: ends claims (fifo/take.lua): the first event of a transaction ends its claim. `meta` says whether there are any claims; if
-- not, nothing more is read.
-- Three keys beside meta: `leases`, a sorted set by the end of the claim, whose members are made by `memberOf`; `taken`, the ids of the
-- claims by hash; and `claims`, for each claim `h<id>`, the packed hashes that it took, and `n<id>`, how many are still under it. Calls do
-- not name them as KEYS: most pools never have them.
-- Error: MEMPOOL_TYPE <key of another type>
-- Rules: X1, N2
local CLAIMS, CLAIMED, LOTS, endClaims
if hasClaims or ARGV[2] == 'take' then
  local prefix = string.sub(META, 1, -5)
  CLAIMS, CLAIMED, LOTS = prefix .. 'leases', prefix .. 'taken', prefix .. 'claims'
  for key, kind in pairs({ [CLAIMS] = 'zset', [CLAIMED] = 'hash', [LOTS] = 'hash' }) do
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
    local counts = {}
    for _, owner in ipairs(ask(names, 'HMGET', CLAIMED)) do
      if owner then counts[owner] = (counts[owner] or 0) + 1 end
    end
    for owner, number in pairs(counts) do
      if call('HINCRBY', LOTS, 'n' .. owner, -number) <= 0 then call('HDEL', LOTS, 'n' .. owner, 'h' .. owner) end
    end
    each(ended, 'ZREM', CLAIMS)
    each(names, 'HDEL', CLAIMED)
    if call('EXISTS', CLAIMS) == 0 then
      call('HDEL', META, 'leases')
      call('UNLINK', LOTS)
    end
  end
end

-- P19: whether each of these is under the claim; all are, if no claim is given.
local function underClaim(list, id)
  local guarded = {}
  local owners = id ~= '' and hasClaims and ask(list, 'HMGET', CLAIMED)
  for i = 1, #list do guarded[i] = id == '' or owners and owners[i] == id end
  return guarded
end
