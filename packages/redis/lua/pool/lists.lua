-- Purpose: lists: hashes packed into one string, each after a byte with its length; and variadic commands, split so that they fit
-- on Lua's stack; and members of sorted sets.
-- Rules: X1
local part = 2000

local function hashes(packed)
  local list, n, at = {}, 0, 1
  while at <= #packed do
    n = n + 1
    list[n], at = struct.unpack('Bc0', packed, at)
  end
  return list
end

-- Writes: calls `command key [option] …list` in parts.
local function each(list, command, key, option)
  for from = 1, #list, part do
    local to = math.min(from + part - 1, #list)
    if option then
      call(command, key, option, unpack(list, from, to))
    else
      call(command, key, unpack(list, from, to))
    end
  end
end

-- Reads: the server's answer for each item of the list, or false.
local function ask(list, command, key)
  if #list > 0 and #list <= part then return call(command, key, unpack(list)) end
  local found = {}
  for from = 1, #list, part do
    for _, answer in ipairs(call(command, key, unpack(list, from, math.min(from + part - 1, #list)))) do
      found[#found + 1] = answer
    end
  end
  return found
end

-- The score of each hash in a sorted set, or false; and the same as texts.
local function scores(key, list)
  local numbers, texts = {}, ask(list, 'ZMSCORE', key)
  for i = 1, #texts do
    local text = texts[i]
    numbers[i] = text and tonumber(text)
  end
  return numbers, texts
end

local char, pack = string.char, struct.pack

-- A CBOR head: major type * 32, then the number in the fewest bytes.
local function head(major, n)
  if n < 24 then return char(major + n) end
  if n < 256 then return char(major + 24, n) end
  if n < 65536 then return pack('>BI2', major + 25, n) end
  if n < 4294967296 then return pack('>BI4', major + 26, n) end
  return pack('>BI8', major + 27, n)
end

-- A transaction as a member of a sorted set: the seq in CBOR, which sorts like the number, and the hash; and the hash of a member.
local function memberOf(number, hash)
  return head(0, number) .. hash
end
local headSizes = { [24] = 2, [25] = 3, [26] = 5, [27] = 9 }
local function hashIn(member)
  return string.sub(member, (headSizes[member:byte()] or 1) + 1)
end
