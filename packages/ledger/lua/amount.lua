-- Purpose: amounts of up to 19 digits as two whole numbers, the billions and the rest: doubles hold both exactly.
local billion, mostHigh, mostLow = 1000000000, 9223372036, 854775807

local function split(text)
  if #text <= 9 then return 0, tonumber(text) end
  return tonumber(sub(text, 1, -10)), tonumber(sub(text, -9))
end

local function digits(high, low)
  return high == 0 and format('%d', low) or format('%d%09d', high, low)
end

local function plus(high, low, moreHigh, moreLow)
  low = low + moreLow
  if low >= billion then return high + moreHigh + 1, low - billion end
  return high + moreHigh, low
end

local function minus(high, low, lessHigh, lessLow)
  low = low - lessLow
  if low < 0 then return high - lessHigh - 1, low + billion end
  return high - lessHigh, low
end

local function exceeds(high, low, otherHigh, otherLow)
  return high > otherHigh or high == otherHigh and low > otherLow
end
