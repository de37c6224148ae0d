-- Purpose: lets the node write whose commits were refused again and again, because others were quicker.
-- `ticket` in meta: '<from> <until> <node>', times of the server in milliseconds. While it is valid, commits of other nodes are refused. The
-- commit of its node deletes it. A ticket from later than now was left before the server's clock was set back.
-- Rules: N1, X5
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local from, till, holder = string.match(ticket or '', '^(%d+) (%d+) (.*)$')
local isHeld = holder ~= nil and tonumber(from) <= now and now < tonumber(till)

-- How long the ticket of another node is still valid, in milliseconds; 0 without one.
local function blockedMs(node)
  return isHeld and holder ~= node and tonumber(till) - now or 0
end

local function leaveTicket(node, ms)
  -- For a full server: a script whose first write deletes is not refused.
  call('HDEL', META, '-')
  call('HSET', META, 'ticket', string.format('%d %d %s', now, now + ms, node))
end

local function endTicket(node)
  if holder == node then call('HDEL', META, 'ticket') end
end
