-- Purpose: stores a page of an import, with the place that it reaches in its file. While `importing` is in `meta`, pool/state.lua refuses
-- every other call.
-- KEYS: the pool's keys by the numbers of src/pool/commands.ts   ARGV: 1 ordering, 2 id of the file, 3 lines and 4 digest before the page, 5 lines
-- and 6 digest after it, 7 'last' or '', 8 bytes of the largest body, 9 bytes of the records, 10 a new stamp, 11 packed: `meta`
-- its fields and values, `commands` { name, number of the key, argument … } …
-- Returns: { 'stored' }, { 'known', lines, digest }, { 'done' }, { 'other-file' } or { 'not-empty' }, as core's `judgePage`
-- Errors: MEMPOOL_GONE and MEMPOOL_FORMAT as in pool/state.lua
-- Rules: D3, X1
local call, META = redis.call, KEYS[1]
local format, ordering, id, lines, digest, importing, largest =
  unpack(call('HMGET', META, 'format', 'ordering', 'importId', 'importLines', 'importDigest', 'importing', 'largest'))
if not format then return redis.error_reply('MEMPOOL_GONE no pool') end
if (ordering or 'fifo') ~= ARGV[1] then return redis.error_reply('MEMPOOL_FORMAT it is of the other ordering') end
if not id then
  if ARGV[3] ~= '0' then return { 'not-empty' } end
  for _, number in ipairs(call('HMGET', META, 'eventSeq', 'seq', 'tick', 'logSeq', 'recordVersion')) do
    if number and tonumber(number) ~= 0 then return { 'not-empty' } end
  end
elseif id ~= ARGV[2] then
  return { importing and 'other-file' or 'not-empty' }
elseif not importing then
  return { 'done' }
elseif tonumber(lines) > tonumber(ARGV[3]) then
  return { 'known', lines, digest }
elseif lines ~= ARGV[3] or digest ~= ARGV[4] then
  return { 'other-file' }
end

call('HSET', META, 'importing', '1', 'importId', ARGV[2], 'importLines', ARGV[5], 'importDigest', ARGV[6])
local page = cmsgpack.unpack(ARGV[11])
for _, command in ipairs(page.commands) do
  for n = 4, command[2] == 13 and #command or 0, 2 do command[n] = packEntry(command[n]) end
  command[2] = KEYS[command[2]]
  call(unpack(command))
end
if #page.meta > 0 then call('HSET', META, unpack(page.meta)) end
if tonumber(ARGV[8]) > tonumber(largest or 0) then call('HSET', META, 'largest', ARGV[8]) end
if ARGV[9] ~= '0' then call('HINCRBY', META, 'recordBytes', ARGV[9]) end
if ARGV[7] == 'last' then
  call('HDEL', META, 'importing')
  -- Late ends may have emptied them.
  for field, key in pairs({ held = KEYS[16], facts = KEYS[22], sent = KEYS[23] }) do
    if call('EXISTS', key) == 0 then call('HDEL', META, field) end
  end
  call('HSET', META, 'logFirst', call('HGET', META, 'logSeq') - call('HLEN', KEYS[5]) + 1)
end
-- No stored changes lead to this state: mirrors are loaded again.
if ordering and (not id or ARGV[7] == 'last') then
  call('UNLINK', KEYS[15])
  call('HSET', META, 'version', call('HGET', META, 'version') + 1, 'stamp', ARGV[10])
end
return { 'stored' }
