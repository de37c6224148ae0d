-- Purpose: lets nodes that were in each other's way write one after the other, in the order in which they were.
-- `turns` in meta: { milliseconds until which the first one's turn lasts, name of a node … }. Who does not come in its turn loses it;
-- who has more to write goes on for a while: a node is never in its own way. Who needs longer to plan says so and has longer.
-- No turn lasts longer than `longest`: one that seems to was given before the server's clock went back.
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

-- Whether it is another's turn.
local function isBehind(node)
  return turns[2] and turns[2] ~= node and not isOver()
end

-- How many go before the node, which joins the queue if it is not in it. `need`: milliseconds that an attempt of it takes.
local function queue(node, need)
  if turns[2] and isOver() then
    table.remove(turns, 2)
    turns[1] = now + patience
  end
  local at = 2
  while turns[at] and turns[at] ~= node do at = at + 1 end
  if at == 2 then turns[1] = now + math.min(longest, patience + 2 * need) end
  turns[at] = node
  -- On a full server too: what follows a deleting command goes through.
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
