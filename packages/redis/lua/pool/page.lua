-- Purpose: the records of a page, read in small parts, so that it ends soon after its limit of bytes. Core cuts it exactly.
-- Returns: { tick, epoch, { hash, seq, hash, seq … }, scores, points, facts, then the parts of the records: { record or nil … } … }
--   scores: one for each hash, or none if each seq is its score; points: { tick, confirming point … } of the Confirmed ones;
--   facts: 14 bytes for each record; then each entry that may name a bundle, after its number from 0 and its length as u32
-- What the server answers is handed on as it is: a table of each transaction, or another copy of its payload, costs more than the rest.
-- Rules: O6, M2, P31
local few = 16

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

-- The facts of `count` transactions whose seqs have no gap, from one on, in one piece.
local function neighbourFacts(number, count)
  local field = string.format('%d', math.floor(number / perField))
  if field ~= openField then openField, fieldValue = field, call('HGET', FACTS, field) or '' end
  local place = factsPlace(number)
  local facts = string.sub(fieldValue, place + 1, place + factsBytes * count)
  local whole = math.floor(#facts / factsBytes)
  return whole == count and facts or string.sub(facts, 1, factsBytes * whole) .. string.rep(noFacts, count - whole)
end

-- The facts of the first `count` of these, one after the other. `found`: hash, seq, hash, seq …
local function factsOfAll(names, found, count)
  local parts = {}
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
    local number = tonumber(found[2 * i])
    local own = math.floor(number / perField)
    if first and (own ~= field or number - tonumber(found[2 * first]) ~= i - first) then
      parts[#parts + 1] = neighbourFacts(tonumber(found[2 * first]), i - first)
      first = nil
    end
    if not first then first, field = i, own end
  end
  if first then parts[#parts + 1] = neighbourFacts(tonumber(found[2 * first]), count - first + 1) end
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

-- `found`: hash, seq, hash, seq … `isScored`: each seq is the score of its hash, as that of a Pending transaction is.
local function page(found, limit, isScored)
  local names, texts, points = {}, {}, {}
  for i = 1, #found, 2 do names[(i + 1) / 2] = found[i] end
  if not isScored then
    texts = ask(names, 'ZMSCORE', IDX)
    points = pointsOf(texts)
  end
  local reply = { tick, epoch, found, texts, points, '' }
  reply[6] = factsOfAll(names, found, addRecords(reply, 7, names, limit))
  return reply
end
