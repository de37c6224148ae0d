-- Purpose: a page of the terminal log.
-- KEYS: pool/keys.lua   ARGV: 1 cursor, 2 limit, 3 payload bytes after which the page ends
-- Returns: { oldest logSeq, newest logSeq, first of the page, epoch, then for each { entry or nil, record of its payload or nil } }
-- Rules: O4, O6, M2
local from = math.max(tonumber(ARGV[1]), logFirst)
local to = math.min(from + tonumber(ARGV[2]) - 1, logSeq)
local numbers, bytes = {}, 0
for n = from, to do numbers[#numbers + 1] = string.format('%d', n) end
local reply = { logFirst, logSeq, from, epoch }
for i, entry in ipairs(ask(numbers, 'HMGET', LOG)) do
  local hash = entryHash(entry)
  local record = hash and call('HGET', BODY, hash) or false
  reply[i + 4] = { entry, record }
  bytes = bytes + (record and #record or 0)
  if bytes > tonumber(ARGV[3]) then break end
end
return reply
