-- Purpose: a page of the terminal log.
-- KEYS: pool/keys.lua   ARGV: 1 cursor, 2 limit, 3 payload bytes after which the page ends, 4 'apart' or nothing
-- Returns: { oldest logSeq, newest logSeq, first of the page, epoch, seq of the pool, { entry or nil … }, then the parts of their
--   payloads' records, unless they are apart (pool/page.lua): { record or nil … } … }
-- Rules: O4, O6, M2
local from = math.max(tonumber(ARGV[1]), logFirst)
local to = math.min(from + tonumber(ARGV[2]) - 1, logSeq)
local numbers, names = {}, {}
for n = from, to do numbers[#numbers + 1] = string.format('%d', n) end
local entries = ask(numbers, 'HMGET', LOG)
local reply, limit, isApart = { logFirst, logSeq, from, epoch, seq, entries }, tonumber(ARGV[3]), ARGV[4] == 'apart'
if isApart and #numbers > some and fits(#numbers, limit) then return reply end
-- No record has an empty name.
for i = 1, #numbers do names[i] = entryHash(entries[i]) or '' end
for i = #numbers, reach(reply, 7, names, limit, isApart) + 1, -1 do entries[i] = nil end
return reply
