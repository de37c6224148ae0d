-- KEYS: keys.lua   ARGV: 1 coupling, 2 cursor, 3 about how many
-- Returns: { the cursor to go on with, '0' at the end, then hashes and marks in turn }
local prefix = ARGV[1] .. '\n'
local found = call('HSCAN', MARKS, ARGV[2], 'MATCH', prefix .. '*', 'COUNT', ARGV[3])
local reply = { found[1] }
for i = 1, #found[2], 2 do
  reply[#reply + 1] = sub(found[2][i], #prefix + 1)
  reply[#reply + 1] = found[2][i + 1]
end
return reply
