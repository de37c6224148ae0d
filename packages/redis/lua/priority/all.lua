-- Purpose: writes steps that a node planned one on the result of the other, each as priority/commit.lua does.
-- KEYS: priority/changes.lua   ARGV: for each step, how many arguments follow, and those of priority/commit.lua
-- Returns: for each step the answer of priority/commit.lua. It stops behind the first that was not carried out now: the next would not fit.
-- Rules: X1, X2, N1
end
local answers, from = {}, 1
while ARGV[from] do
  local step = { unpack(ARGV, from + 1, from + ARGV[from]) }
  from = from + ARGV[from] + 1
  -- For pool/trail.lua.
  ARGV[1] = step[1]
  local record = call('HGET', OPS, step[1]) or call('HGET', OPS_OLD, step[1])
  local answer = record and { 'known', record } or commit(step)
  answers[#answers + 1] = answer
  if answer[1] ~= 'done' then break end
  if step[12] ~= '' then version, stamp = version + 1, step[10] end
end
return answers
