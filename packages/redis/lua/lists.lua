-- Purpose: lists: arguments packed as one string, each hash behind a byte of length, and variadic commands in parts that
-- Lua's stack can take.
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

-- Calls `command key …list` in parts; `read` gets each part's reply and the place before its first element.
local function each(list, read, command, key, ...)
  local more = { ... }
  local head = #more
  for from = 1, #list, part do
    local to = math.min(from + part - 1, #list)
    local reply
    if head == 0 then
      reply = call(command, key, unpack(list, from, to))
    else
      local args = {}
      for i = 1, head do args[i] = more[i] end
      for i = from, to do args[head + i - from + 1] = list[i] end
      reply = call(command, key, unpack(args))
    end
    if read then read(reply, from - 1) end
  end
end

-- The score of each hash in a sorted set, or false; then the same as the server wrote them.
local function scores(key, list)
  local numbers, texts = {}, {}
  each(list, function(reply, before)
    for i = 1, #reply do
      local text = reply[i]
      texts[before + i], numbers[before + i] = text, text and tonumber(text)
    end
  end, 'ZMSCORE', key)
  return numbers, texts
end
