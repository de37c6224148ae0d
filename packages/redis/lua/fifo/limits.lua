-- Purpose: sets the limit of a fifo pool: the field `maxTxs` of `meta`, the maximum number of Pending, Propagated and Acknowledged
-- transactions. An absent field is no limit.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 maxTxs: 'inf' for none, '' to keep it
-- Returns: { maxTxs }, 'inf' for none
-- Rules: X1, P18
local limit = ARGV[3]
if limit == 'inf' then
  call('HDEL', META, 'maxTxs')
elseif limit ~= '' then
  call('HSET', META, 'maxTxs', limit)
end
return finish({ limit ~= '' and limit or maxTxs or 'inf' })
