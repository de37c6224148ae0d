-- Purpose: the last block applied and the points before it.
-- KEYS: pool/keys.lua   ARGV: 1 number of points
-- Returns: { tip or '', tick, points newest first, epoch }
-- Rules: X4
local numbers = {}
if tip ~= '' then
  for at = tick, math.max(floorTick, tick - tonumber(ARGV[1]) + 1), -1 do numbers[#numbers + 1] = string.format('%d', at) end
end
local list = ask(numbers, 'HMGET', BLOCKS)
for i = 1, #list do list[i] = string.sub(list[i], 1, 40) end
return { tip, tick, list, epoch }
