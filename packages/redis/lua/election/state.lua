-- Purpose: the begin of every script of the election: its keys by name, the server's time, and the stored lease and term.
-- KEYS: 1 <name>:lock, 2 :lease, 3 :term, 4 :members, and in a cluster 5 one that never exists; the names of the channel and the heartbeats have the same prefix, and so the same slot
-- Error: MEMPOOL_TYPE <key of another type>
-- Held = lock and lease agree: an operator who deletes the lock ends the lease. Both expire by the server's own clock.
local call = redis.call
local LOCK, LEASE, TERM, MEMBERS = unpack(KEYS)
local base = string.sub(LOCK, 1, -5)
local time = call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)

-- The data of a replica may be old. An attempted write, which changes nothing, shows whether the server is one.
local tried = redis.pcall('DEL', base .. 'probe')
if type(tried) == 'table' and tried.err and string.find(tried.err, 'READONLY', 1, true) then return tried end

for i, kind in ipairs({ 'string', 'hash', 'string', 'zset' }) do
  local found = call('TYPE', KEYS[i]).ok
  if found ~= kind and found ~= 'none' then return redis.error_reply('MEMPOOL_TYPE a key of another type is in its place: ' .. KEYS[i]) end
end

-- Lua's own conversion writes large numbers as 1.7e+15.
local function digits(number)
  return string.format('%.0f', number)
end

local function number(text)
  return tonumber(string.match(text or '', '^%d+$') or 0)
end

local function read()
  return call('HMGET', LEASE, 'id', 'token', 'term', 'seq', 'hbSeq', 'addr', 'priority')
end

local owner, lease = call('GET', LOCK), read()
local held = owner and owner == lease[1]
local stored = math.max(number(call('GET', TERM)), number(lease[3]))

-- Sends a hint. A missing permission to publish is no reason to fail. In a cluster it goes to the server of the slot, by a command that
-- Redis has from 7.0 on.
local function tell(words)
  local sent = KEYS[5] and redis.pcall('SPUBLISH', base .. 'events', words)
  if type(sent) ~= 'number' then redis.pcall('PUBLISH', base .. 'events', words) end
end

-- The lease as the replies have it: its fields, then the ms left, or -1 if it does not expire.
local function view()
  local fields = read()
  for i = 1, 7 do fields[i] = fields[i] or '' end
  fields[8] = call('PTTL', LOCK)
  return fields
end
