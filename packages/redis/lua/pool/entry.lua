-- Purpose: the entries of a priority pool, with the facts of pool/facts.lua in front. Most transactions never go out or go out once, and a
-- pool has many entries, so the facts are short:
--   a byte: 1 + how `attempts` is told (0: none, 1: one, 2: in two bytes) + 4 * the bytes of `sent`
--   received as u48, attempts as u16 or nothing, sent: nothing if it is not known, in six bytes as u48, else how much later than received
-- Rules: O8
local factsBytes = 14
local noFacts = string.rep('\0', factsBytes)

-- `whole`: a byte 0, the facts in their 14 bytes, the entry.
local function packEntry(whole)
  local received, attempts, sent = struct.unpack('>I6I2I6', whole, 2)
  local told, bytes, later = math.min(attempts, 2), 0, sent - received
  if sent > 0 then
    bytes = 1
    while bytes < 4 and later >= 256 ^ bytes do bytes = bytes + 1 end
    if later < 0 or later >= 2 ^ 32 then bytes, later = 6, sent end
  end
  return string.char(1 + told + 4 * bytes) .. struct.pack('>I6', received) .. (told == 2 and struct.pack('>I2', attempts) or '')
    .. (bytes > 0 and struct.pack('>I' .. bytes, later) or '') .. string.sub(whole, 2 + factsBytes)
end

-- The facts in their 14 bytes, and the entry. A damaged one has no facts.
local function unpackEntry(packed)
  local mark = (string.byte(packed) or 0) - 1
  local told, bytes = mark % 4, math.floor(mark / 4)
  local place = told == 2 and 10 or 8
  if mark < 0 or bytes > 6 or #packed < place + bytes then return noFacts, packed end
  local received = struct.unpack('>I6', packed, 2)
  local attempts = told == 2 and struct.unpack('>I2', packed, 8) or told
  local sent = bytes > 0 and struct.unpack('>I' .. bytes, packed, place) + (bytes < 6 and received or 0) or 0
  return struct.pack('>I6I2I6', received, attempts, sent), string.sub(packed, place + bytes)
end

-- The inverse of `packEntry`.
local function wholeEntry(packed)
  local facts, entry = unpackEntry(packed)
  return '\0' .. facts .. entry
end
