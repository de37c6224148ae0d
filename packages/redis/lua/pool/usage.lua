-- Purpose: the numbers of transactions and events in the pool, without a scan.
-- KEYS: pool/keys.lua
-- Returns: { pending, propagated, acknowledged, confirmed, entries in the log, last logSeq, last seq, last event, held back, epoch, the
-- transaction that has been in flight longest or '', when it went out }
-- Rules: O2, L14
local function held(stage)
  return call('ZCOUNT', IDX, stage * T, stage * T + T - 1)
end
local oldest = KEYS[15] and {} or call('ZRANGEBYSCORE', SENT, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return { held(PENDING), held(PROPAGATED), held(ACKNOWLEDGED), held(CONFIRMED), logSeq - logFirst + 1, logSeq, seq, eventSeq,
  call('ZCOUNT', IDX, H, T - 1), epoch, oldest[1] and hashIn(oldest[1]) or '', tonumber(oldest[2] or 0) }
