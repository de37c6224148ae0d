-- Purpose: a page of a wallet's history.
-- KEYS: keys.lua   ARGV: 1 id of the wallet, 2 after which seq, 3 at most how many
-- Returns: records as record.lua has them, in order
local id, limit = ARGV[1], tonumber(ARGV[3])
-- Trimmed ones may still be in a chunk.
local after = math.max(tonumber(ARGV[2]), first - 1)
local wallet = call('HGET', BALANCES, id)
local count = wallet and readBalance(id, wallet).count or 0
if count == 0 then return {} end

local function chunkOf(number)
  local bytes = call('HGET', HISTORY, id .. '\n' .. format('%d', number))
  if not bytes or #bytes < 6 then fail('LOST ' .. HISTORY) end
  return bytes
end

local function seqAt(bytes, place)
  return (struct.unpack('>I6', bytes, 6 * place + 1))
end

-- The last chunk that begins at `after` or before.
local opening = call('HGET', OPENINGS, id)
local trimmed = opening and struct.unpack('>I6', opening, 37) or 0
local low, high = floor(trimmed / perChunk), floor((count - 1) / perChunk)
local lastChunk = high
while low < high do
  local middle = math.ceil((low + high) / 2)
  if seqAt(chunkOf(middle), 0) <= after then low = middle else high = middle - 1 end
end
local found = {}
for chunk = low, lastChunk do
  local bytes = chunkOf(chunk)
  for place = 0, #bytes / 6 - 1 do
    local number = seqAt(bytes, place)
    if number > after then
      local record = readRecord(number)
      record.state = isReserve(record) and sub(call('HGET', IDS, record.id) or '', 1, 1) or ''
      found[#found + 1] = view(record)
      if #found == limit then return found end
    end
  end
end
return found
