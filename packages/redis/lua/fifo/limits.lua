-- Purpose: sets the limits of a fifo pool: the fields of `meta` maxTxs, the maximum number of Pending, Propagated and Acknowledged
-- transactions, and acceptUntil, when the pool closes. A field that is absent is no limit.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 maxTxs, 4 acceptUntil, each 'inf' for none, '' to keep it
-- Returns: { maxTxs, acceptUntil }, each 'inf' for none
-- Rules: X1, P18, P27
local stored = { maxTxs, acceptUntil }
for i, field in ipairs({ 'maxTxs', 'acceptUntil' }) do
  local limit = ARGV[2 + i]
  if limit == 'inf' then
    call('HDEL', META, field)
  elseif limit ~= '' then
    call('HSET', META, field, limit)
  end
  stored[i] = limit ~= '' and limit or stored[i] or 'inf'
end
return finish(stored)
