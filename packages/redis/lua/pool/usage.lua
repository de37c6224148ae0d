-- Purpose: the numbers of transactions and events in the pool, without a scan.
-- KEYS: pool/keys.lua
-- Returns: { pending, propagated, acknowledged, confirmed, entries in the log, last logSeq, last seq, last event, held back, epoch }
-- Rules: O2
local function held(stage)
  return call('ZCOUNT', IDX, stage * T, stage * T + T - 1)
end
return { held(PENDING), held(PROPAGATED), held(ACKNOWLEDGED), held(CONFIRMED), logSeq - logFirst + 1, logSeq, seq, eventSeq,
  call('ZCOUNT', IDX, H, T - 1), epoch }
