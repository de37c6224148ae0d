-- Purpose: markInflight, markAcknowledged, complete, release: moves each hash whose stage and claim allow the verb.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 packed hashes, 4 id of a claim or '',
-- 5 for release the time until which to hold them back, or ''
-- Returns: a digit for each hash: 1 moved, 0 left
-- Rules: L3, L4, L8, L11, L15, O8, P19, P20
local leaves = ({
  markInflight = { [PENDING] = true },
  markAcknowledged = { [PROPAGATED] = true },
  complete = { [PROPAGATED] = true, [ACKNOWLEDGED] = true },
  release = { [PROPAGATED] = true, [ACKNOWLEDGED] = true },
})[verb]
local list = hashes(ARGV[3])
local at, texts = scores(IDX, list)
local guarded = underClaim(list, ARGV[4])
local holds = ARGV[5] ~= '' and tonumber(ARGV[5]) > callTime('', own)
local digits, moved, origins, sinces, seqs, numbers = {}, {}, {}, {}, {}, {}
for i, hash in ipairs(list) do
  local from = at[i] and math.floor(at[i] / T)
  local moves = guarded[i] and from and leaves[from] and (from ~= PENDING or at[i] < H)
  digits[i] = moves and 1 or 0
  if moves then
    local pending, n = from == PENDING, #moved + 1
    moved[n], origins[n], sinces[n] = hash, from, tickOf(at[i])
    seqs[n], numbers[n] = pending and at[i], texts[i]
  end
end
if #moved > 0 then
  local index, joined, left, opened, held = {}, {}, {}, {}, {}
  if verb == 'complete' then expectEnds(#moved) end
  local propagated = scorePrefix(PROPAGATED, tick)
  for i, c in ipairs(order(moved, seqs, numbers)) do
    local n, hash, since = 2 * i, moved[c], sinces[c]
    local missed = tick - since
    if verb ~= 'complete' then index[n] = hash end
    if verb == 'markInflight' then
      index[n - 1] = inflightScore(propagated, numbers[c])
      joined[n - 1], joined[n] = numbers[c], hash
      event(hash, seqs[c], tail(CAUSE.marked, PROPAGATED, PENDING, 0, 0, 0, 0), goOut(hash, seqs[c]))
    elseif verb == 'markAcknowledged' then
      opened[since] = opened[since] or scorePrefix(ACKNOWLEDGED, since)
      index[n - 1] = inflightScore(opened[since], numbers[c])
      event(hash, seqs[c], tail(CAUSE.acknowledged, ACKNOWLEDGED, PROPAGATED, 0, missed, 0, missed), stay(hash))
    elseif verb == 'complete' then
      local facts, kept = ending(hash, seqs[c])
      finalize(hash, seqs[c], FINALIZED, 0, 0, missed, '', kept)
      event(hash, seqs[c], tail(CAUSE.completed, FINALIZED, origins[c], 0, missed, 0, missed), facts)
    else
      index[n - 1] = string.format('%d', holds and H + seqs[c] or seqs[c])
      left[i] = hash
      if holds then held[n - 1], held[n] = ARGV[5], memberOf(seqs[c], hash) end
      event(hash, seqs[c], tail(CAUSE.released, PENDING, origins[c], 0, missed, 0, 0), comeBack(hash, seqs[c]))
    end
  end
  each(left, 'ZREM', FLIGHT)
  each(index, 'ZADD', IDX)
  each(joined, 'ZADD', FLIGHT)
  each(held, 'ZADD', HELD)
  if verb == 'complete' then
    writeEnds()
    save('logSeq', logSeq, 'logFirst', logFirst)
  elseif holds then
    save('held', 1)
  else
    save()
  end
end
return finish(table.concat(digits))
