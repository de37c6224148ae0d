-- Purpose: expires those of the named reservations that are still pending and due.
-- KEYS: keys.lua   ARGV: 1 the name of this call, then for each reservation: id, id and content of the record to make
-- Returns: how many. A repeated call, whose answer was lost, gets the same, unless another sweep came between.
local lastCall, lastCount = unpack(call('HMGET', META, 'sweep', 'swept'))
if lastCall == ARGV[1] then return tonumber(lastCount) end
local count = 0
for i = 2, #ARGV, 3 do
  local record = transferOf(ARGV[i])
  local expires = record and record.state == PENDING and expiresAt(record)
  if expires and expires <= now then
    release(record, ARGV[i + 1], ARGV[i + 2], EXPIRED, 0, 0)
    count = count + 1
  end
end
if count > 0 then write({ 'sweep', ARGV[1], 'swept', count }) end
return count
