-- Purpose: the Pending transactions that fit into a budget, in order of seq. Stops at the first that does not fit, after `skip` such
-- ones; core's function for fifo pools does the same. A missing record counts as no bytes.
local few, recordHead = 500, 6

-- The size of a payload in bytes.
local function size(hash)
  return math.max(0, call('HSTRLEN', BODY, hash) - recordHead)
end

-- The arguments of the budget begin at ARGV[at]: maxBytes, maxTxs, skip, overheadBytes. Returns a list of hash, seq, bytes, hash …
local function reap(at)
  local maxBytes, maxTxs, skip, overhead = unpack(ARGV, at, at + 3)
  maxBytes, maxTxs, skip = tonumber(maxBytes), tonumber(maxTxs), tonumber(skip)
  local found, bytes, misfits, after = {}, 0, 0, '(0'
  while #found < 3 * maxTxs do
    local page = call('ZRANGEBYSCORE', IDX, after, H - 1, 'WITHSCORES', 'LIMIT', 0, few)
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
