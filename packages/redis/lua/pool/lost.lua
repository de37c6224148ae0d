-- Purpose: refuses a call when a key of the pool is missing, because it was evicted or deleted: its hashes would seem Unknown.
-- The numbers in `meta` and the other keys say which keys must exist, so pools of every age are checked. While all exist, as in a pool in
-- use, the check is one command.
-- Two keys may be missing: without `events` streams deliver `lagged`, and `changes` starts again.
-- Error: MEMPOOL_GAP <missing key>
-- Rules: M2
do
  local lost = {}
  local function expect(key, isExpected)
    if isExpected and call('EXISTS', key) == 0 then lost[#lost + 1] = key end
  end

  local keys = { IDX, BODY, FLIGHT, LOG, BLOCKS }
  if KEYS[15] then keys[6] = KEYS[13] end
  if call('EXISTS', unpack(keys)) < #keys then
    local logged = logSeq >= logFirst
    local indexed, stored = call('EXISTS', IDX) == 1, call('EXISTS', BODY) == 1
    expect(IDX, logged or stored or call('EXISTS', FLIGHT) == 1)
    expect(BODY, logged or indexed)
    expect(FLIGHT, indexed and call('ZCOUNT', IDX, PROPAGATED * T, FINALIZED * T - 1) > 0)
    expect(LOG, logged)
    expect(BLOCKS, tip ~= '')
    if KEYS[15] then expect(KEYS[13], indexed) end
  end
  if hasClaims then
    for _, name in ipairs({ 'leases', 'taken', 'claims' }) do expect(string.sub(META, 1, -5) .. name, true) end
  end
  if hasHeld then expect(HELD, true) end
  if hasFacts then expect(string.sub(META, 1, -5) .. 'facts', true) end
  if hasSent then expect(string.sub(META, 1, -5) .. 'sent', true) end
  if lost[1] then
    return redis.error_reply('MEMPOOL_GAP a key of the pool is gone, evicted or deleted: ' .. lost[1])
  end
end
