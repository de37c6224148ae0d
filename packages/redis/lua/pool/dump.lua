-- Purpose: a page of the terminal log.
-- KEYS: pool/keys.lua   ARGV: 1 cursor, 2 limit, 3 payload bytes after which the page ends, 4 'apart' or nothing
-- Returns: { oldest logSeq, newest logSeq, first of the page, epoch, seq of the pool, { entry or nil … }, then the parts of their
--   payloads' records, unless they are apart (pool/page.lua): { record or nil … } … }
--   A large page whose records are apart has the number of its entries instead of them: they are never changed, and cost three times as
--   much if they pass through Lua, so the caller asks for them too.
-- Rules: O4, O6, M2
local from = math.max(tonumber(ARGV[1]), logFirst)
local to = math.min(from + tonumber(ARGV[2]) - 1, logSeq)
local count, limit, isApart = to - from + 1, tonumber(ARGV[3]), ARGV[4] == 'apart'
if isApart and count > some and fits(count, limit) then return { logFirst, logSeq, from, epoch, seq, count } end
local numbers, names = {}, {}
for n = from, to do numbers[#numbers + 1] = string.format('%d', n) end
local entries = ask(numbers, 'HMGET', LOG)
local reply = { logFirst, logSeq, from, epoch, seq, entries }
-- No record has an empty name.
for i = 1, #numbers do names[i] = entryHash(entries[i]) or '' end
for i = #numbers, reach(reply, 7, names, limit, isApart) + 1, -1 do entries[i] = nil end
return reply
