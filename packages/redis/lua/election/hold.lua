-- Purpose: the writes of scripts that take, renew or reinstate the lease, and of heartbeats.
-- ARGV: 1 node id, 2 token, 3 ttl, 4 address or '', 5 priority, 6 how long a heartbeat counts; durations in ms
-- A full server does not refuse a script whose first write is PEXPIRE or DEL, so every write begins with one.
local id, token, ttl, address, priority, keep = unpack(ARGV)
local mine = held and lease[1] == id and lease[2] == token

local function prolong()
  call('PEXPIRE', LOCK, ttl)
  call('PEXPIRE', LEASE, ttl)
  call('HSET', LEASE, 'seq', digits(number(lease[4]) + 1), 'addr', address, 'priority', priority, 'ttl', ttl)
  call('SET', TERM, digits(stored))
end

-- Takes the lease with this term, and removes members without a recent heartbeat.
local function take(term)
  call('DEL', LOCK, LEASE)
  call('SET', LOCK, id, 'PX', ttl)
  call('HSET', LEASE, 'id', id, 'token', token, 'term', term, 'seq', 1, 'hbSeq', 0, 'hbAt', digits(nowMs),
    'addr', address, 'priority', priority, 'ttl', ttl)
  call('PEXPIRE', LEASE, ttl)
  call('SET', TERM, term)
  call('ZREMRANGEBYSCORE', MEMBERS, '-inf', '(' .. digits(nowMs - keep))
  tell('acquired ' .. term .. ' ' .. id)
end

local function seen()
  local heartbeat = base .. 'heartbeat:' .. id
  call('DEL', heartbeat)
  call('SET', heartbeat, priority .. ' ' .. address, 'PX', keep)
  call('ZADD', MEMBERS, digits(nowMs), id)
end

-- Writes the lease with `put`, and the holder's heartbeat unless 'still'. The heartbeat comes first: if the server refuses it, for
-- example without permission for its key, the node must not hold a lease that it does not know of.
local function write(heartbeat, put, ...)
  local beats = heartbeat == 'beat'
  if beats then seen() end
  put(...)
  if beats then call('HSET', LEASE, 'hbSeq', digits(number(read()[5]) + 1), 'hbAt', digits(nowMs)) end
end
