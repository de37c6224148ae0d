-- Purpose: lets a node write next whose commits others overtook.
-- `ticket` in meta: '<from> <until> <node>', times of the server in milliseconds. While it is valid, commits of other nodes are refused. The
-- commit of its node deletes it. A ticket from later than now was left before the server's clock was set back.
-- Rules: N1, X5
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local from, till, holder = string.match(ticket or '', '^(%d+) (%d+) (.*)$')
local isHeld = holder and tonumber(from) <= now and now < tonumber(till)

-- How long the ticket of another node is still valid, in milliseconds; 0 without one.
local function blockedMs(node)
  return isHeld and holder ~= node and tonumber(till) - now or 0
end

-- `wanted`: how long the ticket of a node is to be valid: { usually, if it must load the whole pool }; nil without a ticket.
local function leaveTicket(node, wanted, state)
  if not wanted then return end
  -- For a full server: a script whose first write deletes is not refused.
  call('HDEL', META, '-')
  call('HSET', META, 'ticket', string.format('%d %d %s', now, now + tonumber(wanted[state == 'reload' and 2 or 1]), node))
end

local function endTicket(node)
  if holder == node then call('HDEL', META, 'ticket') end
end
