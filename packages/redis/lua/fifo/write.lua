-- Purpose: the begin and end of a writing script: recorded outcomes by operation id, types of the keys, numbers in `meta`.
-- ARGV: 1 operation id, 2 verb, then the arguments of the verb; the last two are the application's time or '', and the digest of the
-- arguments, '' without an operation id
-- Returns: the recorded reply if the id is known. Errors: MEMPOOL_REUSED first: <hash> … if it belongs to another call, with
-- the hashes of a receive; MEMPOOL_CORRUPT
-- Rules: X1, X2, E5, M3, N2
local id, verb, own, digest = ARGV[1], ARGV[2], ARGV[#ARGV - 1], ARGV[#ARGV]
local record = call('HGET', OPS, id) or call('HGET', OPS_OLD, id)
if record then
  local whole, known = pcall(cmsgpack.unpack, record)
  if not whole or type(known) ~= 'table' or not known[2] then return redis.error_reply('MEMPOOL_CORRUPT the outcome of the operation id is damaged') end
  -- A call under an id of this package has no digest.
  if known[1] ~= verb or known[3] and known[3] ~= digest then
    local words = { 'MEMPOOL_REUSED first:' }
    for i, hash in ipairs(known[1] == verb and verb == 'receive' and hashes(known[2][3]) or {}) do
      words[i + 1] = string.gsub(hash, '.', function(byte) return string.format('%02x', byte:byte()) end)
    end
    return redis.error_reply(table.concat(words, ' '))
  end
  return known[2]
end
-- Reads each key that may be written: a key of another type is an error before the first write.
for _, key in ipairs({ FLIGHT, SEEN, HELD, SENT }) do call('ZCARD', key) end
for _, key in ipairs({ BODY, LOG, BLOCKS, FACTS }) do call('HLEN', key) end
call('XLEN', EVENTS)
-- A full server refuses a script whose first write may take memory, but not one whose first write deletes. Only `receive` may
-- be refused, and a record that grows.
if verb ~= 'receive' and verb ~= 'putRecord' then call('HDEL', META, '-') end

-- The last step of every call: records the reply under its id. Two generations of at least 10,000 ids are kept.
local function finish(reply)
  if call('HLEN', OPS) >= 10000 then
    call('UNLINK', OPS_OLD)
    call('RENAME', OPS, OPS_OLD)
  end
  call('HSET', OPS, id, cmsgpack.pack({ verb, reply, digest ~= '' and digest or nil }))
  return reply
end

local function save(...)
  publish(eventTime(own))
  saveFacts()
  if hasClaims then endClaims() end
  if hasHeld then endHeld() end
  call('HSET', META, 'eventSeq', eventSeq, 'trail', trail, 'at', lastAt, ...)
end
