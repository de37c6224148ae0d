-- Purpose: ends leases (fifo/take.lua): with its first event a transaction is not under its lease any more. A pool where nothing is
-- under a lease, as `meta` tells with all the rest, is asked nothing.
-- Its keys stand beside meta: leases, a sorted set of seqs in CBOR, which sort as numbers do, each with its hash behind it, by the
-- end of the lease; and taken, the leases' ids by hash. No call carries their names: most pools never have them.
-- Error: MEMPOOL_TYPE <key of another type>
-- Rules: X1, N2
local LEASES, TAKEN, endLeases
if leased or ARGV[2] == 'take' then
  local base = string.sub(META, 1, -5)
  LEASES, TAKEN = base .. 'leases', base .. 'taken'
  for key, kind in pairs({ [LEASES] = 'zset', [TAKEN] = 'hash' }) do
    local found = call('TYPE', key).ok
    if found ~= kind and found ~= 'none' then return redis.error_reply('MEMPOOL_TYPE a key of another type is in its place: ' .. key) end
  end

  endLeases = function()
    local ended, names = {}, {}
    for n = 4, 4 * count, 4 do
      -- A block's event has no tail; in a transaction's the second byte is the stage before.
      if rows[n] ~= '' and rows[n]:byte(2) == PROPAGATED then
        ended[#ended + 1] = rows[n - 1] .. rows[n - 2]
        names[#names + 1] = rows[n - 2]
      end
    end
    if #ended == 0 then return end
    each(ended, 'ZREM', LEASES)
    each(names, 'HDEL', TAKEN)
    if call('EXISTS', LEASES) == 0 then call('HDEL', META, 'leases') end
  end
end
