-- Purpose: removes the oldest records and adds them to the openings. Twin of packages/ledger/src/rules/trim.ts and fold.ts.
-- KEYS: keys.lua   ARGV: 1 the name of this call, 2 how long records are kept in ms, with what an id may be ahead, 3 at most how many
-- Returns: { how many, 1 if there are more, else 0 }. A repeated call, whose answer was lost, gets the same, unless another came between.
local lastCall, lastCount, lastMore = unpack(call('HMGET', META, 'trim', 'trimmed', 'left'))
if lastCall == ARGV[1] then return { tonumber(lastCount), tonumber(lastMore) } end
local cutoff, limit = serverTime() - tonumber(ARGV[2]), tonumber(ARGV[3])
local openingFormat = '>I5I4I5I4I5I4I5I4I6'
local openings, gone, refused = {}, {}, {}

local function openingOf(id)
  local opening = openings[id]
  if opening then return opening end
  local bytes = call('HGET', OPENINGS, id) or string.rep('\0', 42)
  if #bytes ~= 42 then fail('CORRUPT ' .. OPENINGS) end
  opening = {}
  opening.debitsHigh, opening.debitsLow, opening.creditsHigh, opening.creditsLow, opening.reservedHigh, opening.reservedLow,
    opening.comingHigh, opening.comingLow, opening.count = struct.unpack(openingFormat, bytes)
  opening.before = opening.count
  openings[id] = opening
  return opening
end

local function fold(record)
  if record.type == 'wallet' then openingOf(record.id) end
  if record.type ~= 'transfer' then return end
  gone[#gone + 1] = record.id
  local lines = linesOf(record.result)
  if lines[1] ~= 'created' then
    refused[lines[2]] = (refused[lines[2]] or 0) + 1
    return
  end
  local said = saidOf(record)
  local source, destination = openingOf(lines[2] or said[2]), openingOf(lines[3] or said[3])
  local high, low = split(lines[4] or said[4])
  if isReserve(record) then
    hold(source, destination, high, low)
  else
    addDebit(source, high, low)
    addCredit(destination, high, low)
    if lines[6] then unhold(source, destination, split(lines[6])) end
  end
  source.count, destination.count = source.count + 1, destination.count + 1
end

-- A pending reservation stays, and with it everything after.
local function mayTrim(record)
  if record.at >= cutoff then return false end
  return not isReserve(record) or sub(call('HGET', IDS, record.id) or '', 1, 1) ~= PENDING
end

local count, more, last = 0, 0, nil
for _, entry in ipairs(call('XRANGE', LOG, '-', '+', 'COUNT', limit + 1)) do
  local record = readEntry(entry)
  if not mayTrim(record) then break end
  if count == limit then
    more = 1
    break
  end
  fold(record)
  count, last = count + 1, record
end
if not last then return { 0, 0 } end
local values, chunks = {}, {}
for id, opening in pairs(openings) do
  values[#values + 1] = id
  values[#values + 1] = struct.pack(openingFormat, opening.debitsHigh, opening.debitsLow, opening.creditsHigh, opening.creditsLow,
    opening.reservedHigh, opening.reservedLow, opening.comingHigh, opening.comingLow, opening.count)
  for chunk = floor(opening.before / perChunk), floor(opening.count / perChunk) - 1 do
    chunks[#chunks + 1] = id .. '\n' .. format('%d', chunk)
  end
end
if #chunks > 0 then call('HGET', HISTORY, '-') end
for owner in pairs(refused) do call('HGET', REFUSALS, owner) end
-- The first write frees memory: a full server refuses none after it.
call('XTRIM', LOG, 'MINID', entryId(last.seq + 1))
each(gone, 'HDEL', IDS)
each(chunks, 'HDEL', HISTORY)
each(values, 'HSET', OPENINGS)
for owner, number in pairs(refused) do
  if call('HINCRBY', REFUSALS, owner, -number) <= 0 then call('HDEL', REFUSALS, owner) end
end
call('HSET', META, 'first', whole(last.seq + 1), 'before', last.digest, 'trimmedAt', whole(last.at), 'ids', whole(idCount - #gone), 'trim', ARGV[1], 'trimmed', count,
  'left', more)
return { count, more }
