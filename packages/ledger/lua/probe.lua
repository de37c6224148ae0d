-- Purpose: tries every command of the ledger's scripts, so that a missing permission or an old server shows at once.
-- KEYS: 1 <ledger>:probe, and in a cluster 2 one that never exists
-- Returns: 'OK', or { refused command, the server's error }
local probe = KEYS[1]
local attempts = {
  { 'TIME' }, { 'DEL', probe }, { 'TYPE', probe }, { 'EXISTS', probe }, { 'HSET', probe, 'field', '1' }, { 'HGET', probe, 'field' },
  { 'HMGET', probe, 'field' }, { 'HLEN', probe }, { 'HSCAN', probe, '0' }, { 'HINCRBY', probe, 'field', '1' }, { 'HDEL', probe, 'field' },
  { 'ZADD', probe, '0', 'member' }, { 'ZCARD', probe }, { 'ZSCORE', probe, 'member' }, { 'ZLEXCOUNT', probe, '-', '+' },
  { 'ZRANGEBYLEX', probe, '-', '+', 'LIMIT', '0', '1' }, { 'ZRANGEBYSCORE', probe, '0', '1', 'LIMIT', '0', '1' }, { 'ZREM', probe, 'member' },
  { 'XADD', probe, '1-0', 'field', '1' }, { 'XLEN', probe }, { 'XRANGE', probe, '-', '+' }, { 'XREAD', 'STREAMS', probe, '0' },
  { 'XTRIM', probe, 'MINID', '2-0' }, { 'DEL', probe },
}
for _, attempt in ipairs(attempts) do
  local reply = redis.pcall(unpack(attempt))
  if type(reply) == 'table' and reply.err then return { attempt[1], reply.err } end
end
return 'OK'
