-- Purpose: finds wallets by owner and tags, in the order of their creation. One call looks at some hundred at most.
-- KEYS: keys.lua   ARGV: 1 owner or '', 2 'all' or 'any', 3 after which seq, 4 at most how many, 5… tags
-- Returns: { the seq to go on after, 0 at the end, then for each wallet: id, its two values }
local owner, match, after, limit = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local scanned = math.max(limit, 200)

-- At most `scanned` members of a list after a seq.
local function membersOf(list)
  local from, to = bounds(list, after)
  return call('ZRANGEBYLEX', INDEX, from, to, 'LIMIT', 0, scanned)
end

local function seqAndId(name, list)
  return sub(name, #list + 1, #list + 16), sub(name, #list + 17)
end

-- The candidates: { seq in digits, id } in order; whether there may be more.
local function candidates(lists)
  local found, known, hasMore = {}, {}, false
  for _, list in ipairs(lists) do
    local names = membersOf(list)
    hasMore = hasMore or #names == scanned
    for _, name in ipairs(names) do
      local seq, id = seqAndId(name, list)
      if not known[seq] then
        known[seq] = true
        found[#found + 1] = { seq, id }
      end
    end
  end
  -- The first of all lists are among the first of each.
  if #lists > 1 then
    table.sort(found, function(a, b) return a[1] < b[1] end)
    while #found > scanned do
      found[#found] = nil
      hasMore = true
    end
  end
  return found, hasMore
end

local function shortest(lists)
  local best, least
  for _, list in ipairs(lists) do
    local from, to = bounds(list, after)
    local count = #lists > 1 and call('ZLEXCOUNT', INDEX, from, to) or 0
    if not least or count < least then best, least = list, count end
  end
  return best
end

local tags, lists, wanted = {}, {}, {}
for i = 5, #ARGV do tags[#tags + 1] = byTag(ARGV[i]) end
if match == 'any' and #tags > 0 then
  lists = tags
  if owner ~= '' then wanted = { byOwner(owner) } end
else
  wanted = tags
  if owner ~= '' then wanted[#wanted + 1] = byOwner(owner) end
  if #wanted == 0 then wanted[1] = everyWallet end
  lists = { shortest(wanted) }
end

local found, hasMore = candidates(lists)
local reply, size = { 0 }, 1
for i, candidate in ipairs(found) do
  local seq, id = candidate[1], candidate[2]
  local fits = true
  for _, list in ipairs(wanted) do
    fits = fits and (list == lists[1] or call('ZSCORE', INDEX, list .. seq .. id))
  end
  if fits then
    local known, balance = call('HGET', WALLETS, id), call('HGET', BALANCES, id)
    if not (known and balance) then fail('LOST ' .. WALLETS) end
    reply[size + 1], reply[size + 2], reply[size + 3] = id, known, balance
    size = size + 3
  end
  if size == 1 + 3 * limit or i == #found then
    if hasMore or i < #found then reply[1] = tonumber(seq) end
    break
  end
end
return reply
