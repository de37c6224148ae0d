-- Purpose: sets the maximum number of Pending, Propagated and Acknowledged transactions: the field maxTxs of `meta`, absent for no limit.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 the limit, 'inf' for none, '' to keep it
-- Returns: { the limit, or 'inf' }
-- Rules: X1
if ARGV[3] == 'inf' then
  call('HDEL', META, 'maxTxs')
elseif ARGV[3] ~= '' then
  call('HSET', META, 'maxTxs', ARGV[3])
end
return finish({ ARGV[3] ~= '' and ARGV[3] or maxTxs or 'inf' })
