-- Purpose: stores or deletes a record of the application, if it has the version that is given.
-- KEYS: pool/keys.lua, then those of pool/fence.lua   ARGV: 1 id, 2 verb, 3–6 pool/fence.lua, 7 name, 8 version or '', 9 checksum of name and
-- value or '' to delete, 10 value, 11 most bytes of a pool's records, 12 the application's time or '', 13 the digest of the arguments
-- Returns: { 'stored', version, the time of the call } | { 'conflict', version } | { 'full' } | as pool/fence.lua | { 'damaged', 0 }
-- Rules: K1, K2, K3, E5, X1, X2, M3
local name, expected, sum, value = ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local stored = call('HGET', RECORDS, name)
local isWhole = not stored or #stored >= recordHeadBytes
if expected ~= '' and not isWhole then return { 'damaged', 0 } end
local present = stored and isWhole and struct.unpack(recordHead, stored) or 0
if expected ~= '' and tonumber(expected) ~= present then return finish({ 'conflict', present }) end
local at = eventTime(ARGV[12])
if sum == '' and not stored then
  call('HDEL', META, '-')
  call('HSET', META, 'at', at)
  return finish({ 'stored', 0, tonumber(at) })
end
local before = stored and #name + math.max(0, #stored - recordHeadBytes) or 0
local after = sum == '' and 0 or #name + #value
local total = math.max(0, recordBytes - before + after)
if after > before and total > tonumber(ARGV[11]) then return finish({ 'full' }) end
-- A full server refuses a script whose first write may take memory: here only if the records grow.
if after <= before then call('HDEL', META, '-') end
recordVersion = recordVersion + 1
if sum == '' then
  call('HDEL', RECORDS, name)
  call('ZREM', NAMES, name)
  -- The length of a damaged record may be another one than was counted.
  if call('EXISTS', RECORDS) == 0 then total = 0 end
else
  -- The version is in the checksum too.
  local mixed = bit.bxor(tonumber(sum), recordVersion % 2 ^ 32, math.floor(recordVersion / 2 ^ 32)) % 2 ^ 32
  call('HSET', RECORDS, name, struct.pack(recordHead, recordVersion, mixed) .. value)
  call('ZADD', NAMES, 0, name)
end
call('HSET', META, 'recordVersion', string.format('%d', recordVersion), 'recordBytes', string.format('%d', total), 'at', at)
return finish({ 'stored', sum == '' and 0 or recordVersion, tonumber(at) })
