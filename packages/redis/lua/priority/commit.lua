-- Purpose: writes a step that a node planned for a priority pool, if the pool is still at the version that it was planned on.
-- KEYS: priority/changes.lua   ARGV: 1 id, 2 verb, 3–6 pool/fence.lua, 7 packed `step`, then the bodies: hash, record …
-- `step`: `record` of the id; `change` for other mirrors, nil if there is only a record, and with it `events` { number of events, packed } …,
-- `commands` of priority/commands.lua;
-- `node` its name; `epoch`, `version`, `base` the position of its mirror; `stamp` of this commit; `ticket` as in priority/ticket.lua;
-- `now` the application's time, if it has a clock; `prolongs` whether it prolongs the lease; `idleTicks` whose points are deleted unless a Confirmed transaction refers to them
-- Returns: { 'done', version, stamp, seconds, microseconds, the time of the call } | as `compare` of priority/changes.lua | { 'blocked', for how many ms }
-- | { 'known', record } | { 'fenced', tip, tick }
-- Rules: X1, X2, X6, E1, E5, O8, M3, N1
local step = cmsgpack.unpack(ARGV[7])
local blocked = blockedMs(step.node)
if blocked > 0 then return { 'blocked', blocked } end
local state = compare(step.epoch, step.version, step.base)
if state[1] ~= 'current' then
  leaveTicket(step.node, step.ticket, state[1])
  return state
end
-- Reads each key that may be written: a key of another type is an error before the first write.
for _, key in ipairs({ IDX, FLIGHT, SEEN, HELD }) do call('ZCARD', key) end
for _, key in ipairs({ BODY, LOG, BLOCKS, ENTRIES, TAGS }) do call('HLEN', key) end
for _, key in ipairs({ EVENTS, CHANGES }) do call('XLEN', key) end
-- As in fifo/write.lua: only `receive` is refused by a full server.
if ARGV[2] ~= 'receive' then call('HDEL', META, '-') end
if step.prolongs then prolong() end

local firstBody, at = 8, eventTime(step.now or '')
for from = firstBody, #ARGV, part do
  call('HSET', BODY, unpack(ARGV, from, math.min(from + part - 1, #ARGV)))
end
local longest = 0
for i = firstBody + 1, #ARGV, 2 do longest = math.max(longest, #ARGV[i]) end
if longest > largest then
  largest = longest
  call('HSET', META, 'largest', largest)
end
runCommands(step.commands or {}, at)
for _, digits in ipairs(step.idleTicks or {}) do
  if call('ZCOUNT', IDX, scoreRange(CONFIRMED, tonumber(digits), tonumber(digits))) == 0 then call('HDEL', BLOCKS, digits) end
end
for _, events in ipairs(step.events or {}) do append(events[1], events[2], at) end

if step.change then
  local number = string.format('%d', version + 1)
  call('HSET', META, 'eventSeq', eventSeq, 'trail', trail, 'at', lastAt, 'version', number, 'stamp', step.stamp)
  -- As many as other nodes may write while a node loads a large pool; fewer if they are large.
  local kept = math.max(1, math.min(5000, math.floor(8 * 1024 * 1024 / #step.change)))
  call('XADD', CHANGES, 'MAXLEN', '~', kept, number .. '-0', stamp, step.change, 'at', at)
end
if call('HLEN', OPS) >= 10000 then
  call('UNLINK', OPS_OLD)
  call('RENAME', OPS, OPS_OLD)
end
call('HSET', OPS, ARGV[1], step.record)
endTicket(step.node)
state[1], state[6] = 'done', at
return state
