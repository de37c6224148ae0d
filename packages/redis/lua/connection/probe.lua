-- Purpose: tries every command that the scripts use, so that a missing permission or an old server shows before the first transaction.
-- KEYS: 1 {prefix}:probe, 2 {prefix}:probe:old   ARGV: 'HSCAN' if the scripts of this pool use it
-- Returns: 'OK', or { refused command, the server's error }
-- Rules: X1
local probe, old = KEYS[1], KEYS[2]
local attempts = {
  { 'DEL', probe, old }, { 'TYPE', probe }, { 'EXISTS', probe }, { 'GET', probe },
  { 'HSET', probe, 'field', '1' }, { 'PEXPIRE', probe, '60000' }, { 'HGET', probe, 'field' }, { 'HMGET', probe, 'field' }, { 'HEXISTS', probe, 'field' },
  { 'HLEN', probe }, { 'HSTRLEN', probe, 'field' }, { 'HINCRBY', probe, 'field', '1' },
  { 'RENAME', probe, old }, { 'HDEL', old, 'field' }, { 'UNLINK', old },
  { 'ZADD', probe, '1', 'member' }, { 'ZMSCORE', probe, 'member' }, { 'ZSCORE', probe, 'member' }, { 'ZCOUNT', probe, '0', '1' }, { 'ZCARD', probe },
  { 'ZRANGEBYSCORE', probe, '0', '1' }, { 'ZRANGEBYLEX', probe, '-', '+' }, { 'ZREM', probe, 'member' }, { 'ZREMRANGEBYSCORE', probe, '0', '1' },
  { 'XADD', probe, 'MINID', '1', '1-1', 'field', '1' }, { 'XRANGE', probe, '-', '+' }, { 'XLEN', probe },
  { 'XREAD', 'STREAMS', probe, '0' }, { 'TIME' }, { 'DEL', probe },
}
local wanted = {}
for _, command in ipairs(ARGV) do wanted[command] = true end
if wanted.HSCAN then table.insert(attempts, { 'HSCAN', probe, '0' }) end
for _, attempt in ipairs(attempts) do
  local reply = redis.pcall(unpack(attempt))
  if type(reply) == 'table' and reply.err then return { attempt[1], reply.err } end
end
return 'OK'
