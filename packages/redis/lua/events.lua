-- Purpose: the packed events behind a number.
-- KEYS: keys.lua   ARGV: 1 after, 2 how many events at least, where there are so many
-- Returns: { epoch, oldest event kept, last event, then for each entry { number of its last event, packed events } }
-- Rules: E3
local oldest = eventSeq + 1
local function numbers(entryId)
  local last, size = string.match(entryId, '(%d+)-(%d+)')
  return tonumber(last), tonumber(size)
end
local head = call('XRANGE', EVENTS, '-', '+', 'COUNT', 1)[1]
if head then
  local last, size = numbers(head[1])
  oldest = last - size + 1
end
local reply, after, wanted = { epoch, oldest, eventSeq }, tonumber(ARGV[1]), tonumber(ARGV[2])
while after < eventSeq and wanted > 0 do
  local entries = call('XRANGE', EVENTS, string.format('%d', after + 1), '+', 'COUNT', 16)
  if #entries == 0 then break end
  for _, entry in ipairs(entries) do
    local last, size = numbers(entry[1])
    reply[#reply + 1] = { last, entry[2][2] }
    after, wanted = last, wanted - size
  end
end
return reply
