-- Purpose: the numbers of transactions and events in the pool, without a scan.
-- KEYS: pool/keys.lua
-- Returns: { pending, propagated, acknowledged, confirmed, entries in the log, last logSeq, last seq, last event, held back, epoch, the
-- transaction that has been in flight longest or '', when it went out }
-- Rules: O2, L14
local function held(stage)
  return call('ZCOUNT', IDX, stage * T, stage * T + T - 1)
end
local oldest = not KEYS[15] and sentBefore(math.huge, 1)[1]
local hash = oldest and call('ZRANGEBYSCORE', FLIGHT, oldest[2], oldest[2])[1]
return { held(PENDING), held(PROPAGATED), held(ACKNOWLEDGED), held(CONFIRMED), logSeq - logFirst + 1, logSeq, seq, eventSeq,
  call('ZCOUNT', IDX, H, T - 1), epoch, hash or '', oldest and oldest[1] or 0 }
