-- KEYS: keys.lua   ARGV: 1 coupling, then hashes
-- Returns: for each hash '1' and its mark, or ''
local fields, texts = {}, {}
for i = 2, #ARGV do fields[#fields + 1] = ARGV[1] .. '\n' .. ARGV[i] end
for i, text in ipairs(call('HMGET', MARKS, unpack(fields))) do texts[i] = text and '1' .. text or '' end
return texts
