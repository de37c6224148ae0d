-- Purpose: the claim on a transaction of a fifo pool, for an export.
-- The owner is in the recorded outcome of the take; it is '' if that record is gone.
-- Rules: D3
local claimOf
do
  local prefix, owners = string.sub(META, 1, -5), {}
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

  -- { id, owner, end }, or false. `number`: the seq.
  claimOf = function(hash, number)
    local claim = hasClaims and call('HGET', prefix .. 'taken', hash)
    return claim and { claim, ownerOf(claim), call('ZSCORE', prefix .. 'leases', memberOf(tonumber(number), hash)) or '0' }
  end
end
