-- Purpose: what every script begins with: its keys by name, each of the type it must have, so that no script fails half-way.
-- KEYS: 1 meta, 2 idx, 3 flight, 4 body, 5 log, 6 final, 7 blocks, 8 seen, 9 events, 10 ops and 11 ops:old, or for the ids
--       that this package makes itself calls and calls:old
-- Error: MEMPOOL_TYPE <number of the key>
-- Rules: X1, N2
--
-- idx: member = hash, score = stage * 2^50 + number. Stages by their place in core's table; the number is the seq of a Pending,
-- the tick of one in flight (0 < stage < 4), the logSeq of the latest log entry of a final one.
local call, T = redis.call, 2 ^ 50
local PENDING, PROPAGATED, ACKNOWLEDGED, CONFIRMED, FINALIZED, DROPPED, ROLLED_BACK, UNKNOWN = 0, 1, 2, 3, 4, 5, 6, 7
local META, IDX, FLIGHT, BODY, LOG, FINAL, BLOCKS, SEEN, EVENTS, OPS, OPS_OLD = unpack(KEYS)
local types = { 'hash', 'zset', 'zset', 'hash', 'hash', 'zset', 'hash', 'zset', 'stream', 'hash', 'hash' }
for i = 1, #KEYS do
  local found = call('TYPE', KEYS[i]).ok
  if found ~= types[i] and found ~= 'none' then return redis.error_reply('MEMPOOL_TYPE ' .. i) end
end
