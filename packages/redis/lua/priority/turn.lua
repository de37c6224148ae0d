-- Purpose: joins the queue of writing nodes, and tells how many are before this one; or waits for the node whose turn it is to plan the call; or
-- ends the node's own turn.
-- KEYS: priority/changes.lua   ARGV: 1 priority/recall.lua, 2–4 epoch, version and stamp of the mirror, 5 name of the node, 6 milliseconds
-- that an attempt of the node takes, 7 'queues', 'left' (the call is on the intake), or 'ends', 8 with 'ends': the id of the last call of the intake that the
-- node has read, or '' to end the turn anyhow
-- Returns: as `compare` of priority/changes.lua; 'waiting' if the call is left to a node whose turn it is; 'ends', with 1 if the node keeps its turn because
-- there are calls on the intake | as priority/recall.lua
-- Rules: N1, X5
if ARGV[7] == 'ends' then
  local state = report('ends', version, stamp)
  local keeps = turns[2] == ARGV[5] and ARGV[8] ~= '' and call('XRANGE', INTAKE, '(' .. ARGV[8], '+', 'COUNT', 1)[1]
  state[6] = leave(ARGV[5], keeps and 'serves' or '', 0)
  return state
end
local isLeft = ARGV[7] == 'left'
local before = isLeft and appoint(ARGV[5]) and 1 or queue(ARGV[5], tonumber(ARGV[6]), not isLeft)
local state = isLeft and before > 0 and report('waiting', version, stamp) or compare(ARGV[2], tonumber(ARGV[3]), ARGV[4])
if state[1] == 'reload' and before == 0 then extend() end
state[6] = before
return state
