-- Purpose: a queue of nodes whose commits conflicted: they write one after the other.
-- `turns` in meta: { time in milliseconds at which the first node's turn ends, name of the first node … }.
-- A node that does not come in its turn loses it. A node with more to write may go on for a while. A node that needs longer to plan
-- says so, and its turn is longer.
-- No turn lasts longer than `longest`: one that seems to was given before the server's clock was set back.
-- Rules: N1, X5
-- INTAKE: a stream of the calls that nodes leave for the node whose turn it is. It exists only while nodes are in each other's way.
local INTAKE = string.sub(META, 1, -5) .. 'intake'
local patience, longest, slice, service = 100, 2000, 10, 1000
local turns = waiting and cmsgpack.unpack(waiting) or {}
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function saveTurns()
  if #turns > 1 then
    call('HSET', META, 'turns', cmsgpack.pack(turns))
  elseif waiting then
    call('HDEL', META, 'turns')
  end
end

local function isOver()
  return turns[1] < now or turns[1] > now + longest
end

-- Whether it is another node's turn.
local function isBehind(node)
  return turns[2] and turns[2] ~= node and not isOver()
end

-- A node whose name ends so plans the calls that others leave on the intake.
local function serves(node)
  return string.sub(node, -1) == '~'
end

-- The number of nodes before this one, which joins the queue if it is not in it. `need`: milliseconds that one attempt takes.
-- `joins` false: the node's call is left to the first node, if that serves others. Then this node does not join.
local function queue(node, need, joins)
  if turns[2] and isOver() then
    table.remove(turns, 2)
    turns[1] = now + patience
  end
  local at = 2
  while turns[at] and turns[at] ~= node do at = at + 1 end
  if at == 2 then turns[1] = now + math.min(longest, patience + 2 * need) end
  if at == 2 or joins or not serves(turns[2]) then turns[at] = node end
  -- For a full server: a script whose first write deletes is not refused.
  call('HDEL', META, '-')
  saveTurns()
  return at - 2
end

-- Gives the turn to the node that wrote last, unless that was long ago: its mirror is up to date. The others leave their calls to it. False if there is none.
local function appoint(node)
  local writer = not turns[2] and string.match(stamp, '^(.*~)%.')
  if not writer or writer == node or now - lastAt > patience or lastAt > now then return false end
  turns[1], turns[2] = now + patience, writer
  call('HDEL', META, '-')
  saveTurns()
  return true
end

-- Time for the first node to load the pool: nobody else need do that meanwhile.
local function extend()
  turns[1] = now + longest
  saveTurns()
end

-- The turn of a node ends when it has written, unless it has more to write, or it serves others and no node queues.
-- Returns 1 if it still has its turn, else 0.
local function leave(node, more, need)
  if turns[2] ~= node then return 0 end
  if more == 'serves' and not turns[3] then
    local ends = now + math.min(longest, service + 2 * need)
    if turns[1] < ends - service / 4 then
      turns[1] = ends
      saveTurns()
    end
    return 1
  end
  if more ~= '' and turns[1] <= now + patience and now < turns[1] - patience + slice then return 1 end
  table.remove(turns, 2)
  turns[1] = now + patience
  saveTurns()
  return 0
end
