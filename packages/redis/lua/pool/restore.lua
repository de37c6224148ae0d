-- Purpose: makes a new pool what restore-part.lua has written beside it.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 the mark of the restore, 4 packed { { field, value … } } of `meta`, 5 packed claims
-- { id, owner, end, packed hashes } …, 6 the digest of the arguments
-- Returns: { 'restored' or 'not-empty' }, or { 'lost' } if another restore has begun since
-- Rules: D3, X1, X2
local prefix = string.sub(META, 1, -5)
local beside = prefix .. 'restore:'
if eventSeq > 0 or seq > 0 or tick > 0 or logSeq > 0 or recordVersion > 0 then return finish({ 'not-empty' }) end
if call('HGET', beside .. 'mark', 'mark') ~= ARGV[3] then return { 'lost' } end
call('UNLINK', beside .. 'mark')
for _, name in ipairs({ 'idx', 'flight', 'body', 'log', 'blocks', 'seen', 'entries', 'tags', 'held', 'records', 'names', 'leases', 'taken', 'claims', 'facts', 'sent' }) do
  if call('EXISTS', beside .. name) == 1 then call('RENAME', beside .. name, prefix .. name) end
end
call('HSET', META, unpack(cmsgpack.unpack(ARGV[4])[1]))
for _, claim in ipairs(cmsgpack.unpack(ARGV[5])) do
  call('HSET', prefix .. 'ops', claim[1], cmsgpack.pack({ 'take', { claim[2], claim[3], claim[4] } }))
end
if KEYS[15] then
  call('UNLINK', KEYS[15])
  call('HSET', META, 'version', call('HGET', META, 'version') + 1, 'stamp', ARGV[3])
end
return finish({ 'restored' })
