-- Purpose: the packed events after a number.
-- KEYS: pool/keys.lua   ARGV: 1 after, 2 minimum number of events, if there are so many, then marks from earlier answers of this
-- script, as `<epoch>:<last event>:<trail>`
-- Returns: { epoch, oldest event kept, last event, trail after it, 1 if all marks still hold, else 0, then for
-- each entry { number of its last event, packed events, the time of the call or false } }
-- Rules: E3
local oldest = eventSeq + 1
local function numbers(entryId)
  local last, size = string.match(entryId, '(%d+)-(%d+)')
  return tonumber(last), tonumber(size)
end
local function entriesFrom(number, count)
  return call('XRANGE', EVENTS, string.format('%d', number), '+', 'COUNT', count)
end
local head = entriesFrom(0, 1)[1]
if head then
  local last, size = numbers(head[1])
  oldest = last - size + 1
end

-- Whether the events up to a mark are still the same ones. Trimmed events count as the same: no reader continues after them.
local function holds(mark)
  local from, at, before = string.match(mark, '^(.*):(%d+):(.*)$')
  at = tonumber(at)
  if from ~= epoch or at > eventSeq then return false end
  if at == eventSeq then return before == trail end
  if at < oldest - 1 then return true end
  local follower = entriesFrom(at + 1, 1)[1]
  local last, size = numbers(follower[1])
  return last - size == at and before == (follower[2][4] or '')
end
local same = 1
for i = 3, #ARGV do same = holds(ARGV[i]) and same or 0 end

local reply, after, wanted = { epoch, oldest, eventSeq, trail, same }, tonumber(ARGV[1]), tonumber(ARGV[2])
while after < eventSeq and wanted > 0 do
  local entries = entriesFrom(after + 1, 16)
  if #entries == 0 then break end
  for _, entry in ipairs(entries) do
    local last, size = numbers(entry[1])
    reply[#reply + 1] = { last, entry[2][2], entry[2][6] or false }
    after, wanted = last, wanted - size
  end
end
return reply
