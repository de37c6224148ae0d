-- Purpose: writes a part of another pool's content beside this pool. pool/restore.lua puts all of it in place at once.
-- KEYS: 1 the mark of the restore that writes, then the keys that it makes   ARGV: 1 its mark, 2 'first' for its first part, else '', then
-- packed lists of commands: { name, number of the key, argument … } …
-- Returns: 1, or 0 if another restore has begun since
-- Rules: D3, X1
if ARGV[2] == 'first' then
  redis.call('UNLINK', unpack(KEYS))
  redis.call('HSET', KEYS[1], 'mark', ARGV[1])
elseif redis.call('HGET', KEYS[1], 'mark') ~= ARGV[1] then
  return 0
end
for i = 3, #ARGV do
  for _, command in ipairs(cmsgpack.unpack(ARGV[i])) do
    for i = 4, command[2] == 13 and #command or 0, 2 do command[i] = packEntry(command[i]) end
    command[2] = KEYS[command[2]]
    redis.call(unpack(command))
  end
end
return 1
