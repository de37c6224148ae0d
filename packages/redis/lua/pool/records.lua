-- Purpose: the records of the application: their keys and numbers.
-- Two keys beside meta: `records`, a hash of the records by name, each with its version as u64, a checksum as u32 and the value; and
-- `names`, a sorted set of the names, all with the score 0: the server orders them by their bytes. Calls do not name them as KEYS: most
-- pools never have them. `meta`: recordVersion, the version of the last change; recordBytes, of all names and values.
-- Errors: MEMPOOL_TYPE <key of another type>, MEMPOOL_GAP <missing key>, MEMPOOL_CORRUPT (a damaged number)
-- Rules: K1, M2, N2
local RECORDS, NAMES = string.sub(META, 1, -5) .. 'records', string.sub(META, 1, -5) .. 'names'
for key, kind in pairs({ [RECORDS] = 'hash', [NAMES] = 'zset' }) do
  local found = call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then return redis.error_reply('MEMPOOL_TYPE a key of another type is in its place: ' .. key) end
end
local recordVersion, recordBytes = unpack(call('HMGET', META, 'recordVersion', 'recordBytes'))
recordVersion, recordBytes = tonumber(recordVersion or '0'), tonumber(recordBytes or '0')
if not (recordVersion and recordBytes) then
  return redis.error_reply('MEMPOOL_CORRUPT the numbers of its records in the key meta are damaged')
end
if recordBytes > 0 then
  for _, key in ipairs({ RECORDS, NAMES }) do
    if call('EXISTS', key) == 0 then return redis.error_reply('MEMPOOL_GAP a key of the pool is gone, evicted or deleted: ' .. key) end
  end
end
local recordHead, recordHeadBytes = '>I8I4', 12
