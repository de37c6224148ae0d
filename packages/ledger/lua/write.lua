-- Purpose: writes a step. The checks before its first write are those that reading has not made.
local pack = struct.pack

local function chunkField(id, chunk)
  return id .. '\n' .. format('%d', chunk)
end

-- The chunks of the histories with the new seqs. Reads only.
local function chunksOf(changed)
  local open, wanted = {}, {}
  for _, wallet in ipairs(changed) do
    if wallet.moved and wallet.count % perChunk > 0 then wanted[#wanted + 1] = chunkField(wallet.id, floor(wallet.count / perChunk)) end
  end
  prefetch(HISTORY, wanted, open)
  local fields = {}
  for _, wallet in ipairs(changed) do
    local chunk, filled, parts = floor(wallet.count / perChunk), wallet.count % perChunk, {}
    if wallet.moved and filled > 0 then
      parts[1] = open[chunkField(wallet.id, chunk)]
      if not parts[1] or #parts[1] ~= 6 * filled then fail('LOST ' .. HISTORY) end
    end
    for i, number in ipairs(wallet.moved or {}) do
      parts[#parts + 1] = pack('>I6', number)
      filled = filled + 1
      if filled == perChunk or i == #wallet.moved then
        fields[#fields + 1] = chunkField(wallet.id, chunk)
        fields[#fields + 1] = table.concat(parts)
        chunk, filled, parts = chunk + 1, 0, {}
      end
    end
    wallet.count = wallet.count + #(wallet.moved or {})
  end
  return fields
end

-- `more`: fields of `meta` beside those of the head.
local function write(more)
  if #records == 0 then
    each(more, 'HSET', META)
    return
  end
  local changed = {}
  for _, wallet in pairs(wallets) do
    if wallet and wallet.isChanged then changed[#changed + 1] = wallet end
  end
  local chunks, balances, ids = chunksOf(changed), {}, {}
  if #dueAdded + #dueRemoved > 0 then call('ZCARD', DUE) end
  for _, wallet in ipairs(changed) do
    balances[#balances + 1] = wallet.id
    balances[#balances + 1] = packBalance(wallet)
  end
  for _, record in ipairs(records) do
    if record.type == 'transfer' then
      ids[#ids + 1] = record.id
      ids[#ids + 1] = record.state .. whole(record.seq)
    end
  end
  local count = idCount + #ids / 2
  for _, record in ipairs(resolved) do
    ids[#ids + 1] = record.id
    ids[#ids + 1] = record.state .. whole(record.seq)
  end
  -- The first write. The server refuses it if it has no room, is a replica, or the stream holds more than `meta` says.
  for _, record in ipairs(records) do
    call('XADD', LOG, entryId(record.seq), 'at', whole(record.at), 'type', record.type, 'id', record.id, 'content', record.content,
      'result', record.result, 'digest', record.digest)
  end
  each(ids, 'HSET', IDS)
  each(balances, 'HSET', BALANCES)
  each(chunks, 'HSET', HISTORY)
  each(dueAdded, 'ZADD', DUE)
  each(dueRemoved, 'ZREM', DUE)
  local counted = {}
  for owner, number in pairs(refusals) do
    counted[#counted + 1] = owner
    counted[#counted + 1] = number
  end
  each(counted, 'HSET', REFUSALS)
  call('HSET', META, 'seq', whole(seq), 'at', whole(now), 'digest', digest, 'ids', whole(count), unpack(more))
end
