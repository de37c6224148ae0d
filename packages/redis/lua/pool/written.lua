-- Purpose: tells whether records of the key `body` may have been written since a page was read. A record is written only when its hash
-- is received, under a new seq, and deleted only when the hash is neither live nor in the log any more.
-- KEYS: pool/keys.lua   ARGV: 1 epoch and 2 seq of the pool when the page was read
-- Returns: the hashes that were received since, all still live, as a MessagePack array; '' if there are none; nil if that is not known
-- Rules: X1, O4
local since = tonumber(ARGV[2])
local count = seq - since
if epoch ~= ARGV[1] or count < 0 or count > 1000 then return false end
if count == 0 then return '' end
local after, names = string.format('(%d', since), {}
local held = string.format('(%d', H + since)
for _, range in ipairs({ { IDX, after, H - 1 }, { IDX, held, T - 1 }, { FLIGHT, after, '+inf' } }) do
  for _, name in ipairs(call('ZRANGEBYSCORE', range[1], range[2], range[3])) do names[#names + 1] = name end
end
return #names == count and cmsgpack.pack(names) or false
