-- Purpose: what every script begins with: its keys by name.
-- KEYS: 1 meta, 2 idx, 3 flight, 4 body, 5 log, 6 blocks, 7 seen, 8 events, 9 ops and 10 ops:old, or for the ids
--       that this package makes itself calls and calls:old; pool/fence.lua names the two that confirm and rollback have besides
-- Errors: MEMPOOL_FORMAT <format> of another version, or of a pool with the other order
-- Rules: X1, N2
--
-- Format 3 is a pool in order of arrival, 4 one by priority, for which a script has fifteen keys.
-- idx: member = hash, score = stage * 10^15 + number, exact in a double and legible. Stages by their place in core's table; the
-- number is the seq of a Pending, tick * 10^6 + the last six digits of the seq of one in flight (stages 1 to 3), the logSeq of the
-- latest log entry of a final one. By those digits the ones of a tick have scores of their own, in the order in which they came: the
-- server finds them without comparing hashes, and side by side. Equal scores do no harm.
local call, T, P = redis.call, 10 ^ 15, 10 ^ 6
local FORMAT = KEYS[15] and '4' or '3'
local PENDING, PROPAGATED, ACKNOWLEDGED, CONFIRMED, FINALIZED, DROPPED, ROLLED_BACK, UNKNOWN = 0, 1, 2, 3, 4, 5, 6, 7
local META, IDX, FLIGHT, BODY, LOG, BLOCKS, SEEN, EVENTS, OPS, OPS_OLD = unpack(KEYS)

local function misfit(format)
  return redis.error_reply('MEMPOOL_FORMAT it is ' .. (({ ['3'] = 'ordered by arrival', ['4'] = 'ordered by priority' })[format] or 'stored in format ' .. format))
end
