-- Purpose: lets confirm and rollback apply only under the live lease of the pool's election, and prolongs the lease when they do.
-- KEYS: pool/keys.lua, then 11 the election's lock, 12 its lease   ARGV: 3 node id, 4 token and 5 term of the caller's lease, each ''
-- without a lease, 6 'demanded' if a lease is always needed, 'free' if none is, else ''
-- Returns: { 'fenced', tip, tick }, with nothing written or recorded. Error: MEMPOOL_TYPE <key of another type>
-- A lease is held while lock and lease agree. Both expire by the server's clock. Known ids are answered before this check.
-- Rules: X6, M3
local LOCK, LEASE = KEYS[11], KEYS[12]

local function readable(reply, key)
  if type(reply) ~= 'table' or not reply.err then return nil end
  if not string.find(reply.err, 'WRONGTYPE', 1, true) then return reply end
  return redis.error_reply('MEMPOOL_TYPE a key of another type is in its place: ' .. key)
end

local owner = redis.pcall('GET', LOCK)
local lease = redis.pcall('HMGET', LEASE, 'id', 'token', 'term', 'ttl')
local refused = readable(owner, LOCK) or readable(lease, LEASE)
if refused then return refused end
local held = owner and owner == lease[1]
local given = ARGV[3] ~= ''
local same = held and lease[1] == ARGV[3] and lease[2] == ARGV[4] and lease[3] == ARGV[5]
if given and not same or not given and ARGV[6] ~= 'free' and (held or ARGV[6] ~= '') then return { 'fenced', tip, tick } end

-- Runs before the verb writes anything. The seq of the lease stays: only the holder's own renewals raise it.
local function prolong()
  if not given or not lease[4] then return end
  call('PEXPIRE', LOCK, lease[4])
  call('PEXPIRE', LEASE, lease[4])
end
