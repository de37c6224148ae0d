-- Purpose: a page of transactions. Its records come in small parts, so that it ends soon after its limit of bytes; core cuts it exactly.
-- Or they are `apart`: the page tells how far it reaches, and the caller asks for them itself, since a payload that passes through Lua
-- costs three times as much. Then pool/written.lua tells whether they are still those of this moment.
-- Returns: { tick, epoch, seq of the pool, names, seqs, scores, points, facts, then the parts of the records: { record or nil … } … }
--   names: packed hashes; seqs, and the scores unless each seq is its score: texts, with spaces between them. The last six digits of a
--   score in flight may be those of another seq;
--   points: { tick, confirming point … } of the Confirmed ones; facts: 14 bytes for each record; then each entry that may name a bundle,
--   after its number from 0 and its length as u32
-- A table for each transaction, or another copy of its payload, costs more than the rest.
-- Rules: O6, X1, M2, P31
local few = 16
-- Records of this many are not worth another trip.
local some = 64

-- The parts of the records of these hashes from `reply[n]` on, up to the one in which `limit` is exceeded. Returns how many records.
local function addRecords(reply, n, names, limit)
  local bytes, count = 0, 0
  for from = 1, #names, few do
    local to = math.min(from + few - 1, #names)
    local records = call('HMGET', BODY, unpack(names, from, to))
    reply[n], n, count = records, n + 1, to
    for i = 1, to - from + 1 do
      local record = records[i]
      if record then bytes = bytes + #record end
    end
    if bytes > limit then break end
  end
  return count
end

-- The same for records that are apart, which add nothing. Not every user may ask for lengths.
local function reach(reply, n, names, limit, isApart)
  if not isApart or #names <= some or type(redis.pcall('HSTRLEN', BODY, names[1])) == 'table' then
    return addRecords(reply, n, names, limit)
  end
  local bytes = 0
  for i = 1, #names do
    bytes = bytes + call('HSTRLEN', BODY, names[i])
    if bytes > limit then return i end
  end
  return #names
end

-- The facts of `count` transactions whose seqs have no gap, from one on, in one piece.
local function neighbourFacts(number, count)
  local field = string.format('%d', math.floor(number / perField))
  if field ~= openField then openField, fieldValue = field, call('HGET', FACTS, field) or '' end
  local place = factsPlace(number)
  local facts = string.sub(fieldValue, place + 1, place + factsBytes * count)
  local whole = math.floor(#facts / factsBytes)
  return whole == count and facts or string.sub(facts, 1, factsBytes * whole) .. string.rep(noFacts, count - whole)
end

-- The facts of these, one after the other.
local function factsOfAll(names, seqs)
  local parts, count = {}, #names
  if KEYS[15] then
    local n = count
    for i = 1, count do
      local facts, entry = factsOf(names[i])
      parts[i] = facts
      if entry ~= '' then
        n = n + 1
        parts[n] = pack('>I4I4', i - 1, #entry) .. entry
      end
    end
    return table.concat(parts)
  end
  local first, field
  for i = 1, count do
    local number = tonumber(seqs[i])
    local own = math.floor(number / perField)
    if first and (own ~= field or number - tonumber(seqs[first]) ~= i - first) then
      parts[#parts + 1] = neighbourFacts(tonumber(seqs[first]), i - first)
      first = nil
    end
    if not first then first, field = i, own end
  end
  if first then parts[#parts + 1] = neighbourFacts(tonumber(seqs[first]), count - first + 1) end
  return table.concat(parts)
end

-- By its first digit most scores are known as not those of Confirmed transactions, sooner than as numbers.
local confirmedDigit = string.byte(CONFIRMED)
local function pointsOf(texts)
  local list, known = {}, {}
  for i = 1, #texts do
    local text = texts[i]
    local score = text and string.byte(text) == confirmedDigit and tonumber(text) or 0
    local number = score >= CONFIRMED * T and tickOf(score)
    if number and not known[number] then
      known[number] = true
      list[#list + 1] = number
      list[#list + 1] = pointOf(number) or ''
    end
  end
  return list
end

-- The scores of transactions in flight, in order of seq, for pages of many. Those of one stage and tick stand side by side in `idx`, and
-- differ only in the digits of the seq. So one that is asked for tells the others, if the page has few stages and ticks; else nil.
local function scoresByTick(names, seqs)
  local count = #names
  local first, last = tonumber(seqs[1]), tonumber(seqs[count])
  if count <= few or last - first >= P or first % P > last % P then return nil end
  local places, texts, asked = {}, {}, 0
  for i = 1, count do places[names[i]] = i end
  for i = 1, count do
    if not texts[i] then
      asked = asked + 1
      if asked > count / few then return nil end
      local text = call('ZMSCORE', IDX, names[i])[1]
      local score = text and tonumber(text) or 0
      texts[i] = text or ''
      local base = score - score % P
      local neighbours = score >= PROPAGATED * T and score < FINALIZED * T
        and call('ZRANGEBYSCORE', IDX, base + first % P, base + last % P) or {}
      for n = 1, #neighbours do
        local place = places[neighbours[n]]
        if place then texts[place] = text end
      end
    end
  end
  return texts
end

local function packNames(names)
  local parts, heads = {}, {}
  for i = 1, #names do
    local name = #names[i] < 256 and names[i] or string.sub(names[i], 1, 255)
    local head = heads[#name] or char(#name)
    heads[#name], parts[2 * i - 1], parts[2 * i] = head, head, name
  end
  return table.concat(parts)
end

-- `found`: hash, seq, hash, seq … `isScored`: each seq is the score of its hash, as that of a Pending transaction is.
local function page(found, limit, isScored, isApart)
  local names, seqs = {}, {}
  for i = 1, #found / 2 do names[i] = found[2 * i - 1] end
  local reply = { tick, epoch, seq, '', '', false, {}, '' }
  local count = reach(reply, 9, names, limit, isApart)
  for i = #names, count + 1, -1 do names[i] = nil end
  for i = 1, count do seqs[i] = found[2 * i] end
  if not isScored then
    local texts = scoresByTick(names, seqs) or ask(names, 'ZMSCORE', IDX)
    reply[7] = pointsOf(texts)
    for i = 1, count do texts[i] = texts[i] or '' end
    reply[6] = table.concat(texts, ' ')
  end
  reply[4], reply[5], reply[8] = packNames(names), table.concat(seqs, ' '), factsOfAll(names, seqs)
  return reply
end
