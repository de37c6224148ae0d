-- Purpose: markInflight, markAcknowledged, release: moves each hash whose stage allows the verb.
-- KEYS: keys.lua   ARGV: 1 id, 2 verb, 3 hashes to record with the outcome, 4 packed hashes
-- Returns: { a digit for each hash: 1 moved, 0 left, ARGV[3] }
-- Rules: L3, L4, L8, L11
local leaves = ({
  markInflight = { [PENDING] = true },
  markAcknowledged = { [PROPAGATED] = true },
  release = { [PROPAGATED] = true, [ACKNOWLEDGED] = true },
})[verb]
local list = hashes(ARGV[4])
local at, texts = scores(IDX, list)
local digits, moves = {}, {}
for i, hash in ipairs(list) do
  local from = at[i] and math.floor(at[i] / T)
  local moved = from and leaves[from]
  digits[i] = moved and 1 or 0
  if moved then
    local pending = from == PENDING
    moves[#moves + 1] = { hash = hash, from = from, since = at[i] % T, seq = pending and at[i], text = pending and texts[i] }
  end
end
if #moves > 0 then
  order(moves)
  local index, joined, left = {}, {}, {}
  local propagated = place(PROPAGATED, tick)
  for i, m in ipairs(moves) do
    local n, hash, missed = 2 * i, m.hash, tick - m.since
    index[n] = hash
    if verb == 'markInflight' then
      index[n - 1] = propagated
      joined[n - 1], joined[n] = m.text, hash
      event(hash, m.seq, tail(PROPAGATED, PENDING, 0, 0, 0, 0))
    elseif verb == 'markAcknowledged' then
      index[n - 1] = place(ACKNOWLEDGED, m.since)
      event(hash, m.seq, tail(ACKNOWLEDGED, PROPAGATED, 0, missed, 0, missed))
    else
      index[n - 1] = m.text
      left[i] = hash
      event(hash, m.seq, tail(ROLLED_BACK, m.from, 0, missed, 0, 0))
    end
  end
  each(left, 'ZREM', FLIGHT)
  each(index, 'ZADD', IDX)
  each(joined, 'ZADD', FLIGHT)
  save()
end
return finish({ table.concat(digits), ARGV[3] })
