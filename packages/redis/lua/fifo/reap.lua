-- Purpose: what fits of the Pending ones, by seq, up to the first misfit or the first after `skip` of them; as in core's
-- reapArrivals. A record that is lost has no bytes.
local few, recordHead = 500, 6

-- The bytes of a payload.
local function size(hash)
  return math.max(0, call('HSTRLEN', BODY, hash) - recordHead)
end

-- The budget's arguments are those from `at` on: maxBytes, maxTxs, skip, overheadBytes. A list of hash, seq, bytes, hash …
local function reap(at)
  local maxBytes, maxTxs, skip, overhead = unpack(ARGV, at, at + 3)
  maxBytes, maxTxs, skip = tonumber(maxBytes), tonumber(maxTxs), tonumber(skip)
  local found, bytes, misfits, after = {}, 0, 0, '(0'
  while #found < 3 * maxTxs do
    local page = call('ZRANGEBYSCORE', IDX, after, T - 1, 'WITHSCORES', 'LIMIT', 0, few)
    if #page == 0 then return found end
    for i = 1, #page, 2 do
      local own = size(page[i])
      if bytes + own + overhead > maxBytes then
        misfits = misfits + 1
        if misfits > skip then return found end
      else
        bytes = bytes + own + overhead
        local n = #found
        found[n + 1], found[n + 2], found[n + 3] = page[i], page[i + 1], own
        if n + 3 >= 3 * maxTxs then return found end
      end
    end
    after = '(' .. page[#page]
  end
  return found
end
