-- Purpose: a page of the records of the application, in the order of their names.
-- KEYS: pool/keys.lua   ARGV: 1 lower and 2 upper end of the names, as of ZRANGEBYLEX, 3 limit, 4 bytes after which the page ends
-- Returns: { name, as pool/records.lua has it, or false } …
-- Rules: K4, O6
local reply, bytes = {}, 0
for i, name in ipairs(call('ZRANGEBYLEX', NAMES, ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])) do
  local record = call('HGET', RECORDS, name)
  reply[i] = { name, record }
  bytes = bytes + (record and #record or 0)
  if bytes > tonumber(ARGV[4]) then break end
end
return reply
