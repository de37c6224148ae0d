-- Purpose: sets how many may be Pending, Propagated or Acknowledged: the field maxTxs of `meta`, which a pool without has not.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 the limit, 'inf' for none, '' to leave it
-- Returns: { the limit, or 'inf' }
-- Rules: X1
if ARGV[3] == 'inf' then
  call('HDEL', META, 'maxTxs')
elseif ARGV[3] ~= '' then
  call('HSET', META, 'maxTxs', ARGV[3])
end
return finish({ ARGV[3] ~= '' and ARGV[3] or maxTxs or 'inf' })
