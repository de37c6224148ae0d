-- Purpose: refuses to go on where a key of the pool is gone, evicted or deleted: a hash that is not found there would be taken for Unknown.
-- What must be there follows from the numbers in `meta` and from the other keys, so pools of every age are checked. While all of them are
-- there, as in a pool in use, that is one command.
-- Not these: without `events` streams say `lagged`, and `changes` is made anew.
-- Error: MEMPOOL_GAP <key that is gone>
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
  if leased then
    for _, name in ipairs({ 'leases', 'taken' }) do expect(string.sub(META, 1, -5) .. name, true) end
  end
  if lost[1] then
    return redis.error_reply('MEMPOOL_GAP a key of the pool is gone, evicted or deleted: ' .. lost[1])
  end
end
