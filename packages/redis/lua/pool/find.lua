-- Purpose: the transactions in flight among these.
-- KEYS: pool/keys.lua   ARGV: 1 packed hashes, without repeats
-- Returns: as in pool/page.lua, only those in flight, in the order of the hashes
-- Rules: M2
local list = hashes(ARGV[1])
local found = {}
for i, at in ipairs(ask(list, 'ZMSCORE', FLIGHT)) do
  if at then
    found[#found + 1] = list[i]
    found[#found + 1] = at
  end
end
return page(found, math.huge)
