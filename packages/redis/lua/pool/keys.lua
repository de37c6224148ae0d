-- Purpose: the begin of every script: its keys by name. Before it come the constants of src/connection/lua-constants.ts.
-- KEYS: 1 meta, 2 idx, 3 flight, 4 body, 5 log, 6 blocks, 7 seen, 8 events, 9 ops and 10 ops:old, or for ids
--       that this package creates itself calls and calls:old; pool/fence.lua names the two further keys of confirm and rollback
-- Errors: MEMPOOL_FORMAT <format> for a pool in another format, or of the other ordering
-- Rules: X1, N2
--
-- Format 1 is a fifo pool, format 1001 a priority pool, whose scripts have fifteen keys.
-- idx: member = hash, score = stage * T + number, with T = 10^15: exact in a double and legible. The number:
--   Pending: the seq; while it is held back, H = 5 * 10^14 more
--   in flight (stages 1 to 3): tick * P + the last six digits of the seq
--   final: the logSeq of the latest log entry
-- The digits of the seq give the transactions of one tick different scores, in order of seq: the server finds them side by side, without
-- comparing hashes. Equal scores do no harm.
local call = redis.call
local FORMAT = KEYS[15] and '1001' or '1'
local META, IDX, FLIGHT, BODY, LOG, BLOCKS, SEEN, EVENTS, OPS, OPS_OLD = unpack(KEYS)
-- A sorted set by the time until which a transaction is held back (P20). Calls do not name it as KEY: most pools never have it.
local HELD = string.sub(META, 1, -5) .. 'held'

local function misfit(format)
  local orders = { ['1'] = 'ordered by arrival', ['1001'] = 'ordered by priority' }
  return redis.error_reply('MEMPOOL_FORMAT it is ' .. (orders[format] or 'stored in format ' .. format .. ', which this version does not know'))
end
