-- Purpose: runs the commands of a step: { name, number of the key (16: held), argument … } …
-- The time of the call is added here. So these names, with fields and values, stand for HSET: `arrived` for entries of transactions that the
-- call receives, without facts; `ended` for log entries without their end, which is the time; `timed` for both, with six bytes 255 wherever the
-- time of the call belongs. `forget`, with hashes: ZREM and HDEL of all that is stored of them.
-- Rules: X1, E5
local function runCommands(commands, at)
  local now, unset = struct.pack('>I6', at), string.rep('\255', 6)
  local arrivedAt = packEntry('\0' .. now .. string.rep('\0', 8))

  local function times(bytes)
    local first, last = string.sub(bytes, 1, 6), string.sub(bytes, 9)
    return (first == unset and now or first) .. string.sub(bytes, 7, 8) .. (last == unset and now or last)
  end
  local timed = {
    [13] = function(value)
      return packEntry(string.sub(value, 1, 1) .. times(string.sub(value, 2, 15)) .. string.sub(value, 16))
    end,
    [5] = function(value) return string.sub(value, 1, -15) .. times(string.sub(value, -14)) end,
  }
  local function set(command, whole)
    command[1] = 'HSET'
    for item = 4, #command, 2 do command[item] = whole(command[item]) end
  end

  local special = {
    arrived = function(command) set(command, function(value) return arrivedAt .. value end) end,
    ended = function(command) set(command, function(value) return value .. now end) end,
    timed = function(command) set(command, timed[command[2]]) end,
    -- The last of its commands is called as others are.
    forget = function(command)
      command[1], command[2] = 'ZREM', IDX
      call(unpack(command))
      command[1], command[2] = 'HDEL', BODY
      call(unpack(command))
      command[2] = 13
    end,
  }
  for _, command in ipairs(commands) do
    local prepare = special[command[1]]
    if prepare then prepare(command) end
    command[2] = command[2] == 16 and HELD or KEYS[command[2]]
    call(unpack(command))
  end
end
