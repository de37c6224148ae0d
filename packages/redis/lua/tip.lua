-- Purpose: the last block applied and the points before it.
-- KEYS: keys.lua   ARGV: 1 how many points
-- Returns: { tip or '', tick, points newest first }
-- Rules: X4
local numbers = {}
if tip ~= '' then
  for at = tick, math.max(base, tick - tonumber(ARGV[1]) + 1), -1 do numbers[#numbers + 1] = string.format('%.0f', at) end
end
return { tip, tick, values(BLOCKS, numbers) }
