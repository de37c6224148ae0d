-- Purpose: writes a step that a node planned for a priority pool, if the pool is still at the version that it was planned on.
-- KEYS: priority/changes.lua   ARGV: 1 id, 2 verb, 3–6 pool/fence.lua, 7–9 epoch, version and stamp of the mirror, 10 stamp of this commit, 11 the
-- record of the id, 12 the change for other mirrors, or '' if there is only a record, 13 'prolong' or '', 14 ticks whose points are
-- deleted unless a Confirmed transaction refers to them, 15 name of the node, 16 milliseconds that this attempt or the longest one before
-- took, 17 'serves' if the node plans the calls of others, else 'more' if it has other calls, or '', 18 how many events each of its packed events has, 19 the application's time or '', 20 the time at which the pool closes, or '' if the step does not depend on it,
-- 21 'closed' or 'open': what the plan assumed of that, 22 'left' if the call can be left to the node whose turn it is, else 'queues'; 'follows' if
-- it was planned on the result of a commit that was sent together with it: if that one was refused, nothing changes,
-- 23 the id of the call on the intake, if it is another node's, 24 the stream where that node waits for its outcome, 25 how many of the
-- next arguments are bodies: hash, record …, then packed events, then packed lists of commands: { name, number of the key (16: held), argument … } …
-- The time of the call is added here. So these names, with fields and values, stand for HSET: `arrived` for entries of transactions that the
-- call receives, without facts; `ended` for log entries without their end, which is the time; `timed` for both, with six bytes 255 wherever the
-- time of the call belongs. `forget`, with hashes: ZREM and HDEL of all that is stored of them.
-- Returns: as `report` of priority/changes.lua: 'done', with the answer of `leave`, and the time of the call; or the answer of `compare`;
-- or 'waiting' if the call can be left to another | { 'known', record } | { 'fenced', tip, tick }
-- Rules: X1, X2, X6, E1, E5, O8, P27, M3, N1
if ARGV[22] == 'alone' then
  local ms = blockedMs(ARGV[15])
  if ms > 0 then return { 'blocked', version, stamp, time[1], time[2], ms } end
  local state = compare(ARGV[7], tonumber(ARGV[8]), ARGV[9])
  if state[1] ~= 'current' then
    local wanted = tonumber(state[1] == 'reload' and ARGV[24] or ARGV[23])
    if wanted then leaveTicket(ARGV[15], wanted) end
    return state
  end
  ARGV[23], ARGV[24] = '', ''
end
local joins, need = ARGV[22] == 'queues', tonumber(ARGV[16])
local isLeft = not joins and isBehind(ARGV[15]) and serves(turns[2])
local state = isLeft and report('waiting', version, stamp) or compare(ARGV[7], tonumber(ARGV[8]), ARGV[9])
if state[1] ~= 'current' or isBehind(ARGV[15]) then
  if ARGV[22] == 'follows' then return state end
  if not isLeft and not joins and appoint(ARGV[15]) then state, isLeft = report('waiting', version, stamp), true end
  state[6] = isLeft and 1 or queue(ARGV[15], need, joins)
  if state[1] == 'reload' and state[6] == 0 then extend() end
  return state
end
-- How long calls and outcomes are kept that nobody has read.
local keptMs = 10000
-- The node planned at an earlier time. It plans again with the time of this answer.
local deadline = tonumber(ARGV[20])
if deadline and (callTime('', ARGV[19]) >= deadline and 'closed' or 'open') ~= ARGV[21] then return state end
-- Reads each key that may be written: a key of another type is an error before the first write.
for _, key in ipairs({ IDX, FLIGHT, SEEN, HELD }) do call('ZCARD', key) end
for _, key in ipairs({ BODY, LOG, BLOCKS, ENTRIES, TAGS }) do call('HLEN', key) end
for _, key in ipairs({ EVENTS, CHANGES }) do call('XLEN', key) end
-- As in fifo/write.lua: only `receive` is refused by a full server.
if ARGV[2] ~= 'receive' then call('HDEL', META, '-') end
if ARGV[13] ~= '' then prolong() end
local bodiesEnd = 25 + tonumber(ARGV[25])
local at = eventTime(ARGV[19])
local now, timed, unset = struct.pack('>I6', at), {}, string.rep('\255', 6)
local function times(bytes)
  local first, last = string.sub(bytes, 1, 6), string.sub(bytes, 9)
  return (first == unset and now or first) .. string.sub(bytes, 7, 8) .. (last == unset and now or last)
end
timed[13] = function(value)
  return packEntry(string.sub(value, 1, 1) .. times(string.sub(value, 2, 15)) .. string.sub(value, 16))
end
timed[5] = function(value)
  return string.sub(value, 1, -15) .. times(string.sub(value, -14))
end
local arrivedAt, writes = packEntry('\0' .. now .. string.rep('\0', 8)), {}
function writes.arrived(command)
  command[1] = 'HSET'
  for item = 4, #command, 2 do command[item] = arrivedAt .. command[item] end
end
function writes.ended(command)
  command[1] = 'HSET'
  for item = 4, #command, 2 do command[item] = command[item] .. now end
end
function writes.timed(command)
  local whole = timed[command[2]]
  command[1] = 'HSET'
  for item = 4, #command, 2 do command[item] = whole(command[item]) end
end
-- The last of its commands is called as others are.
function writes.forget(command)
  command[1], command[2] = 'ZREM', IDX
  call(unpack(command))
  command[1], command[2] = 'HDEL', BODY
  call(unpack(command))
  command[2] = 13
end
for from = 26, bodiesEnd, part do call('HSET', BODY, unpack(ARGV, from, math.min(from + part - 1, bodiesEnd))) end
local longest = 0
for i = 27, bodiesEnd, 2 do longest = math.max(longest, #ARGV[i]) end
if longest > largest then
  largest = longest
  call('HSET', META, 'largest', largest)
end
local eventsEnd = bodiesEnd
for _ in string.gmatch(ARGV[18], '%d+') do eventsEnd = eventsEnd + 1 end
for i = eventsEnd + 1, #ARGV do
  for _, command in ipairs(cmsgpack.unpack(ARGV[i])) do
    local write = writes[command[1]]
    if write then write(command) end
    command[2] = command[2] == 16 and HELD or KEYS[command[2]]
    call(unpack(command))
  end
end
for digits in string.gmatch(ARGV[14], '%d+') do
  if call('ZCOUNT', IDX, scoreRange(CONFIRMED, tonumber(digits), tonumber(digits))) == 0 then call('HDEL', BLOCKS, digits) end
end
local events = bodiesEnd
for count in string.gmatch(ARGV[18], '%d+') do
  events = events + 1
  append(tonumber(count), ARGV[events], at)
end
if ARGV[12] ~= '' then
  local number = string.format('%d', version + 1)
  call('HSET', META, 'eventSeq', eventSeq, 'trail', trail, 'at', lastAt, 'version', number, 'stamp', ARGV[10])
  -- As many as other nodes may write while a node loads a large pool; fewer if they are large.
  local kept = math.max(1, math.min(5000, math.floor(8 * 1024 * 1024 / #ARGV[12])))
  call('XADD', CHANGES, 'MAXLEN', '~', kept, number .. '-0', stamp, ARGV[12], 'at', at)
end
if call('HLEN', OPS) >= 10000 then
  call('UNLINK', OPS_OLD)
  call('RENAME', OPS, OPS_OLD)
end
call('HSET', OPS, ARGV[1], ARGV[11])
if ARGV[23] ~= '' then
  call('HSET', META, 'intake', ARGV[23])
  call('PEXPIRE', INTAKE, keptMs)
  call('XADD', ARGV[24], 'MAXLEN', 1, '*', ARGV[1], ARGV[11])
  call('PEXPIRE', ARGV[24], keptMs)
end
endTicket(ARGV[15])
state[1], state[6], state[7] = 'done', leave(ARGV[15], ARGV[17], need), at
return state
