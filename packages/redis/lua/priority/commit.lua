-- Purpose: writes a step that a node planned for a priority pool, if the pool is still at the version that it was planned on.
-- KEYS: priority/changes.lua   ARGV: 1 id, 2 verb, 3–6 pool/fence.lua, 7 `head`, 8 the record of the id, 9 the change for other mirrors, or '' if
-- there is only a record, then the bodies: hash, record …, then packed events, then packed commands of priority/commands.lua
-- `head` is JSON: `node` its name; `epoch`, `version`, `base` the position of its mirror; `stamp` of this commit; `ticket` as in priority/ticket.lua;
-- `now` the application's time, if it has a clock; `closesAt` when the pool closes, if the step depends on it, and `isClosed`, what the plan
-- assumed of that; `prolongs` whether it prolongs the lease; `bodies` the number of their arguments; `events` the number of events of each packed one;
-- `idleTicks` whose points are deleted unless a Confirmed transaction refers to them
-- Returns: { 'done', version, stamp, seconds, microseconds, the time of the call } | as `compare` of priority/changes.lua | { 'blocked', for how many ms }
-- | { 'known', record } | { 'fenced', tip, tick }
-- Rules: X1, X2, X6, E1, E5, O8, P27, M3, N1
local head, record, change = cjson.decode(ARGV[7]), ARGV[8], ARGV[9]
local blocked = blockedMs(head.node)
if blocked > 0 then return { 'blocked', blocked } end
local state = compare(head.epoch, head.version, head.base)
if state[1] ~= 'current' then
  leaveTicket(head.node, head.ticket, state[1])
  return state
end
-- The node planned at an earlier time. It plans again with the time of this answer.
local ownTime = head.now or ''
if head.closesAt and (callTime('', ownTime) >= head.closesAt) ~= head.isClosed then return state end
-- Reads each key that may be written: a key of another type is an error before the first write.
for _, key in ipairs({ IDX, FLIGHT, SEEN, HELD }) do call('ZCARD', key) end
for _, key in ipairs({ BODY, LOG, BLOCKS, ENTRIES, TAGS }) do call('HLEN', key) end
for _, key in ipairs({ EVENTS, CHANGES }) do call('XLEN', key) end
-- As in fifo/write.lua: only `receive` is refused by a full server.
if ARGV[2] ~= 'receive' then call('HDEL', META, '-') end
if head.prolongs then prolong() end

local firstBody = 10
local firstEvents = firstBody + head.bodies
local firstCommands = firstEvents + #head.events
local at = eventTime(ownTime)

for from = firstBody, firstEvents - 1, part do
  call('HSET', BODY, unpack(ARGV, from, math.min(from + part, firstEvents) - 1))
end
local longest = 0
for i = firstBody + 1, firstEvents - 1, 2 do longest = math.max(longest, #ARGV[i]) end
if longest > largest then
  largest = longest
  call('HSET', META, 'largest', largest)
end
local run = commandsAt(at)
for i = firstCommands, #ARGV do run(ARGV[i]) end
for _, digits in ipairs(head.idleTicks) do
  if call('ZCOUNT', IDX, scoreRange(CONFIRMED, tonumber(digits), tonumber(digits))) == 0 then call('HDEL', BLOCKS, digits) end
end
for i, count in ipairs(head.events) do append(count, ARGV[firstEvents + i - 1], at) end

if change ~= '' then
  local number = string.format('%d', version + 1)
  call('HSET', META, 'eventSeq', eventSeq, 'trail', trail, 'at', lastAt, 'version', number, 'stamp', head.stamp)
  -- As many as other nodes may write while a node loads a large pool; fewer if they are large.
  local kept = math.max(1, math.min(5000, math.floor(8 * 1024 * 1024 / #change)))
  call('XADD', CHANGES, 'MAXLEN', '~', kept, number .. '-0', stamp, change, 'at', at)
end
if call('HLEN', OPS) >= 10000 then
  call('UNLINK', OPS_OLD)
  call('RENAME', OPS, OPS_OLD)
end
call('HSET', OPS, ARGV[1], record)
endTicket(head.node)
state[1], state[6] = 'done', at
return state
