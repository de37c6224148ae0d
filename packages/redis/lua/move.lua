-- Purpose: markInflight, markAcknowledged, release: moves each hash whose stage allows the verb.
-- KEYS: keys.lua   ARGV: 1 id, 2 verb, 3 hashes to record with the outcome, 4 packed hashes
-- Returns: { a digit for each hash: 1 moved, 0 left, ARGV[3] }
-- Rules: L3, L4, L8, L11
local leads = ({
  markInflight = { [PENDING] = PROPAGATED },
  markAcknowledged = { [PROPAGATED] = ACKNOWLEDGED },
  release = { [PROPAGATED] = PENDING, [ACKNOWLEDGED] = PENDING },
})[verb]
local list = hashes(ARGV[4])
local at = scores(IDX, list)
local digits, names, moves = {}, {}, {}
for i, hash in ipairs(list) do
  local from = at[i] and math.floor(at[i] / T)
  local to = from and leads[from]
  digits[i] = to and 1 or 0
  if to then
    names[#names + 1] = hash
    moves[#names] = { hash = hash, from = from, to = to, since = at[i] % T, seq = from == PENDING and at[i] }
  end
end
if #moves > 0 then
  order(moves, names)
  local index, joined, left = {}, {}, {}
  for i, m in ipairs(moves) do
    local n, missed = 2 * i, m.from == PENDING and 0 or tick - m.since
    index[n] = m.hash
    if m.to == PENDING then
      index[n - 1] = m.seq
      left[i] = m.hash
      event(m.hash, m.seq, tail(ROLLED_BACK, m.from, 0, missed, 0, 0))
    else
      local since = m.to == PROPAGATED and tick or m.since
      index[n - 1] = m.to * T + since
      if m.to == PROPAGATED then joined[n - 1], joined[n] = m.seq, m.hash end
      event(m.hash, m.seq, tail(m.to, m.from, 0, missed, 0, tick - since))
    end
  end
  each(left, nil, 'ZREM', FLIGHT)
  each(index, nil, 'ZADD', IDX)
  each(joined, nil, 'ZADD', FLIGHT)
  save()
end
return finish({ table.concat(digits), ARGV[3] })
