-- Purpose: tries every command of the election's scripts, so that a missing permission or an old server shows at once.
-- KEYS: 1 <name>:probe, and in a cluster 2 one that never exists   ARGV: 1 the channel
-- Returns: 'OK', or { refused command, the server's error }
local probe = KEYS[1]
local attempts = {
  { 'TIME' }, { 'DEL', probe }, { 'TYPE', probe }, { 'SET', probe, '1', 'PX', '60000' }, { 'GET', probe },
  { 'PEXPIRE', probe, '60000' }, { 'PTTL', probe }, { 'DEL', probe }, { 'HSET', probe, 'field', '1' },
  { 'HMGET', probe, 'field' }, { 'DEL', probe }, { 'ZADD', probe, '1', 'member' },
  { 'ZRANGE', probe, '0', '-1' }, { 'ZREMRANGEBYSCORE', probe, '0', '1' }, { 'DEL', probe },
}
for _, attempt in ipairs(attempts) do
  local reply = redis.pcall(unpack(attempt))
  if type(reply) == 'table' and reply.err then return { attempt[1], reply.err } end
end
local sent = redis.pcall(KEYS[2] and 'SPUBLISH' or 'PUBLISH', ARGV[1], 'probe')
-- A cluster before Redis 7 has no SPUBLISH.
if type(sent) == 'table' and KEYS[2] and string.find(sent.err, 'Unknown Redis', 1, true) then
  sent = redis.pcall('PUBLISH', ARGV[1], 'probe')
end
if type(sent) == 'table' then return { KEYS[2] and 'SPUBLISH' or 'PUBLISH', sent.err } end
return 'OK'
