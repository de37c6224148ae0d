-- Purpose: the claims of a fifo pool and its limits, for a dump.
-- KEYS: pool/keys.lua
-- Returns: { maxTxs, acceptUntil, each 'inf' for none, then { id, owner, end, hash } of each transaction under a claim }
-- The owner is in the recorded outcome of the take; it is '' if that record is gone.
-- Rules: D3
local prefix, reply = string.sub(META, 1, -5), { maxTxs or 'inf', acceptUntil or 'inf' }
local found = hasClaims and call('ZRANGEBYSCORE', prefix .. 'leases', '-inf', '+inf', 'WITHSCORES') or {}
local owners = {}
local function ownerOf(claim)
  if owners[claim] then return owners[claim] end
  owners[claim] = ''
  for _, name in ipairs({ 'ops', 'ops:old', 'calls', 'calls:old' }) do
    local record = call('HGET', prefix .. name, claim)
    local whole, known = pcall(cmsgpack.unpack, record or '')
    if record and whole and type(known) == 'table' and known[1] == 'take' then owners[claim] = known[2][1] end
  end
  return owners[claim]
end
for i = 1, #found, 2 do
  -- A member is the seq in CBOR, and the hash.
  local first = found[i]:byte(1)
  local size = first < 24 and 1 or ({ [24] = 2, [25] = 3, [26] = 5, [27] = 9 })[first]
  local hash = string.sub(found[i], size + 1)
  local claim = call('HGET', prefix .. 'taken', hash)
  if claim then reply[#reply + 1] = { claim, ownerOf(claim), found[i + 1], hash } end
end
return reply
