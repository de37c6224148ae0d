-- Purpose: what every script begins with: its keys by name.
-- KEYS: 1 meta, 2 idx, 3 flight, 4 body, 5 log, 6 blocks, 7 seen, 8 events, 9 ops and 10 ops:old, or for the ids
--       that this package makes itself calls and calls:old; fence.lua names the two that confirm and rollback have besides
-- Rules: X1, N2
--
-- idx: member = hash, score = stage * 10^15 + number, exact in a double and legible. Stages by their place in core's table; the
-- number is the seq of a Pending, the tick of one in flight (stages 1 to 3), the logSeq of the latest log entry of a final one.
local call, T = redis.call, 10 ^ 15
local PENDING, PROPAGATED, ACKNOWLEDGED, CONFIRMED, FINALIZED, DROPPED, ROLLED_BACK, UNKNOWN = 0, 1, 2, 3, 4, 5, 6, 7
local META, IDX, FLIGHT, BODY, LOG, BLOCKS, SEEN, EVENTS, OPS, OPS_OLD = unpack(KEYS)
