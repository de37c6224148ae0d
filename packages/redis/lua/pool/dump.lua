-- Purpose: a page of the terminal log.
-- KEYS: pool/keys.lua   ARGV: 1 cursor, 2 limit, 3 payload bytes after which the page ends
-- Returns: { oldest logSeq, newest logSeq, first of the page, epoch, then for each entry or nil, record of its payload or nil }
-- Rules: O4, O6, M2
local from = math.max(tonumber(ARGV[1]), logFirst)
local numbers, names, reply = {}, {}, { logFirst, logSeq, from, epoch }
for n = from, math.min(from + tonumber(ARGV[2]) - 1, logSeq) do numbers[#numbers + 1] = string.format('%d', n) end
local entries = ask(numbers, 'HMGET', LOG)
-- No record has an empty name.
for i = 1, #numbers do names[i] = entryHash(entries[i]) or '' end
eachRecord(names, tonumber(ARGV[3]), function(i, record)
  local n = #reply
  reply[n + 1], reply[n + 2] = entries[i], record
end)
return reply
