-- Purpose: a queue of nodes whose commits conflicted: they write one after the other.
-- `turns` in meta: { time in milliseconds at which the first node's turn ends, name of the first node … }.
-- A node that does not come in its turn loses it. A node with more to write may go on for a while. A node that needs longer to plan
-- says so, and its turn is longer.
-- No turn lasts longer than `longest`: one that seems to was given before the server's clock was set back.
-- Rules: N1, X5
local patience, longest, slice = 100, 2000, 10
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

-- The number of nodes before this one, which joins the queue if it is not in it. `need`: milliseconds that one attempt takes.
local function queue(node, need)
  if turns[2] and isOver() then
    table.remove(turns, 2)
    turns[1] = now + patience
  end
  local at = 2
  while turns[at] and turns[at] ~= node do at = at + 1 end
  if at == 2 then turns[1] = now + math.min(longest, patience + 2 * need) end
  turns[at] = node
  -- For a full server: a script whose first write deletes is not refused.
  call('HDEL', META, '-')
  saveTurns()
  return at - 2
end

local function leave(node, hasMore)
  if turns[2] ~= node or hasMore and turns[1] <= now + patience and now < turns[1] - patience + slice then return end
  table.remove(turns, 2)
  turns[1] = now + patience
  saveTurns()
end
