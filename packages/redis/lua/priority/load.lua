-- Purpose: the contents of a pool without its payloads, for a mirror or an export: page by page, or all at once.
-- KEYS: priority/changes.lua, or of a fifo pool pool/keys.lua   ARGV: 1 'head', 'blocks', 'live', 'log', 'tags' or 'all', 2 what the page starts after, 3 number of items, 4–6 epoch, version and stamp of a mirror that is loaded page by page, or nothing
-- Returns: { epoch, version, stamp, seconds, microseconds, page …, for a mirror what `compare` of priority/changes.lua returns }; a page is
-- { what the next page starts after, or '', item … }
-- Rules: N1, M2
local load = {}

function load.head()
  return { '', tip, tick, floorTick, seq, logSeq, logFirst, eventSeq, maxFinalized, maxRollback, call('HGET', META, 'gossipSeq'), call('HGET', META, 'limits'), lastAt,
    call('ZCOUNT', IDX, '-inf', string.format('(%d', FINALIZED * T)), maxEvents, maxTxs or 'inf' }
end

-- Items: { tick, point and the newest logSeq after the block, hashes that it includes }
function load.blocks(after, count)
  local page, first = { '' }, math.max(floorTick, after + 1)
  local last = math.min(tick, first + count - 1)
  for at = first, last do
    page[#page + 1] = { at, call('HGET', BLOCKS, at), call('ZRANGEBYSCORE', SEEN, at, at) }
  end
  if last < tick then page[1] = string.format('%d', last) end
  return page
end

-- `list`: hash, score, … Items: { hash, seq, score, confirming point or '', entry as `wholeEntry` returns it, the time until which it is held back or false, its claim in a fifo pool or false }
local function addLive(page, list)
  local names = {}
  for i = 1, #list, 2 do names[#names + 1] = list[i] end
  local entries, at, texts = ENTRIES and ask(names, 'HMGET', ENTRIES) or {}, scores(IDX, names)
  for i = 1, #names do
    local confirmed = at[i] and at[i] >= CONFIRMED * T
    local isHeld = at[i] and at[i] >= H and at[i] < T
    local number = isHeld and string.format('%d', at[i] % H) or list[2 * i]
    local notBefore = isHeld and call('ZMSCORE', HELD, memberOf(at[i] % H, names[i]))[1]
    local entry = entries[i] and wholeEntry(entries[i]) or not ENTRIES and factsEntry(names[i])
    page[#page + 1] = { names[i], number, texts[i], confirmed and pointOf(tickOf(at[i])) or '', entry or false, notBefore or false,
      not ENTRIES and claimOf(names[i], number) }
  end
end

-- Pending, held back and in flight up to one seq: a transaction that goes from one of them to another is still found.
function load.live(after, count)
  local lists, last, isWhole = {}, H - 1, true
  for i, from in ipairs({ { IDX, 0 }, { IDX, H }, { FLIGHT, 0 } }) do
    local key, base = unpack(from)
    local found = call('ZRANGEBYSCORE', key, string.format('(%d', base + after), string.format('%d', base + last), 'WITHSCORES', 'LIMIT', 0, count)
    if #found == 2 * count then last, isWhole = tonumber(found[#found]) - base, false end
    lists[i] = found
  end
  local page = { isWhole and '' or string.format('%d', last) }
  for i, found in ipairs(lists) do
    local most = last + (i == 2 and H or 0)
    while #found > 0 and tonumber(found[#found]) > most do found[#found], found[#found - 1] = nil, nil end
    addLive(page, found)
  end
  return page
end

-- Items: { number, log entry, and if it is the latest of its hash: the hash, its pool entry, its stage }
function load.log(after, count)
  local first = math.max(logFirst, after + 1)
  local last = math.min(logSeq, first + count - 1)
  local page, numbers = { last < logSeq and string.format('%d', last) or '' }, {}
  for number = first, last do numbers[#numbers + 1] = string.format('%d', number) end
  for i, text in ipairs(ask(numbers, 'HMGET', LOG)) do
    page[i + 1] = { numbers[i], text }
    for stage = FINALIZED, DROPPED do
      local at = finalScore(stage, numbers[i])
      local owner = call('ZRANGEBYSCORE', IDX, at, at)[1]
      local entry = owner and ENTRIES and call('HGET', ENTRIES, owner)
      if owner then page[i + 1] = { numbers[i], text, owner, entry and wholeEntry(entry), stage } end
    end
  end
  return page
end

-- Items: a tag, its tick, …
function load.tags(after, count)
  local page, cursor = { '' }, string.format('%d', after)
  if not TAGS then return page end
  repeat
    local found = call('HSCAN', TAGS, cursor, 'COUNT', math.min(count, part))
    cursor = found[1]
    for _, item in ipairs(found[2]) do page[#page + 1] = item end
  until cursor == '0' or #page > count
  if cursor ~= '0' then page[1] = cursor end
  return page
end

local what, after, count = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local reply = report(epoch, version, stamp)
for _, name in ipairs({ 'head', 'blocks', 'live', 'log', 'tags' }) do
  if what == name or what == 'all' then reply[#reply + 1] = load[name](after, count) end
end
if ARGV[4] then reply[#reply + 1] = compare(ARGV[4], tonumber(ARGV[5]), ARGV[6]) end
return reply
