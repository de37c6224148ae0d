-- Purpose: ends lives on request: any live stage but Confirmed becomes Dropped.
-- KEYS: keys.lua   ARGV: 1 id, 2 verb, 3 hashes to record with the outcome, 4 reason, 5 packed hashes
-- Returns: { a digit for each hash: 1 dropped, 0 left, ARGV[3] }
-- Rules: L10, M3
local reason = ARGV[4]
local list = hashes(ARGV[5])
local at = scores(IDX, list)
local digits, drops = {}, {}
for i, hash in ipairs(list) do
  local from = at[i] and math.floor(at[i] / T)
  local fits = from and from < CONFIRMED
  digits[i] = fits and 1 or 0
  if fits then
    local missed = from == PENDING and 0 or tick - at[i] % T
    drops[#drops + 1] = { hash = hash, from = from, missed = missed, seq = from == PENDING and at[i] }
  end
end
if #drops > 0 then
  order(drops)
  expectFinals(#drops)
  for _, d in ipairs(drops) do
    finalize(d.hash, d.seq, DROPPED, 0, 0, d.missed, reason)
    event(d.hash, d.seq, tail(DROPPED, d.from, 0, d.missed, 0, d.missed, false, reason))
  end
  closeLives()
  save('logSeq', logSeq, 'logFirst', logFirst)
end
return finish({ table.concat(digits), ARGV[3] })
