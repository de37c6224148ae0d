-- Purpose: a page of transactions. Its records come in small parts, so that it ends soon after its limit of bytes; core cuts it exactly.
-- Or they are `apart`: the page tells how far it reaches, and the caller asks for them itself, since a payload that passes through Lua
-- costs three times as much. Then pool/written.lua tells whether they are still those of this moment.
-- Returns: { tick, epoch, seq of the pool, names, seqs, scores, points, facts, then the parts of the records: { record or nil … } … }
--   names: the hashes, as a MessagePack array, which costs a third of `table.concat`;
--   seqs: a text of runs, with commas between them: 'seq', or 'seq count' for that many, each seq one more than the one before it;
--   scores, unless each seq is its score: 'score', or 'score count' for that many of one score. The last six digits of a score in flight
--   may be those of another seq;
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

-- Whether so many records do not exceed the limit, whichever they are.
local function fits(count, limit)
  return largest and count * largest <= limit
end

-- The same for records that are apart, which add nothing. Not every user may ask for lengths. They cost as much as all else, so they are
-- asked for only while the rest might exceed the limit.
local function reach(reply, n, names, limit, isApart)
  if not isApart or #names <= some then return addRecords(reply, n, names, limit) end
  if fits(#names, limit) then return #names end
  if type(redis.pcall('HSTRLEN', BODY, names[1])) == 'table' then return addRecords(reply, n, names, limit) end
  local bytes = 0
  for i = 1, #names do
    if fits(#names - i + 1, limit - bytes) then break end
    bytes = bytes + call('HSTRLEN', BODY, names[i])
    if bytes > limit then return i end
  end
  return #names
end

-- Whether these are in order, without repeats or fractions: then two at the distance of their seqs have all seqs between them.
local function areInOrder(seqs)
  for i = 2, #seqs do
    if seqs[i] == seqs[i - 1] then return false end
  end
  local text = table.concat(seqs, ' ')
  return not string.find(text, '.', 1, true) and not string.find(text, 'e', 1, true)
end

-- The first seq from here on, and how many are neighbours: each seq is one more than the one before it.
local function neighboursFrom(seqs, from, isOrdered)
  local first, to, step, grows = tonumber(seqs[from]), from, 1, isOrdered
  while step >= 1 do
    local text = seqs[to + step]
    if text and tonumber(text) - first == to + step - from then
      to = to + step
      if grows then step = 2 * step end
    else
      step, grows = math.floor(step / 2), false
    end
  end
  return first, to - from + 1
end

local function runText(text, count)
  return count > 1 and text .. ' ' .. count or text
end

-- The runs of the seqs: their text; the first seqs; how many each has. `areSorted`: they come from a sorted set, in its order.
local function seqRuns(seqs, areSorted)
  local texts, firsts, counts, n, from = {}, {}, {}, 0, 1
  local isOrdered = areSorted and areInOrder(seqs)
  while from <= #seqs do
    n = n + 1
    firsts[n], counts[n] = neighboursFrom(seqs, from, isOrdered)
    texts[n] = runText(seqs[from], counts[n])
    from = from + counts[n]
  end
  return table.concat(texts, ','), firsts, counts
end

-- The runs of the scores: their text; the score of each. 0 where there is none.
local function scoreRuns(texts, count)
  local runs, each, n, from = {}, {}, 0, 1
  for i = 2, count + 1 do
    if i > count or texts[i] ~= texts[from] then
      n = n + 1
      each[n] = texts[from] or '0'
      runs[n] = runText(each[n], i - from)
      from = i
    end
  end
  return table.concat(runs, ','), each
end

-- Appends the facts of `count` neighbours, in one piece for each field.
local fieldNumber
local function addFacts(parts, number, count)
  while count > 0 do
    local place = number % perField
    local field, size = (number - place) / perField, math.min(count, perField - place)
    if field ~= fieldNumber then
      fieldNumber = field
      openField = string.format('%d', field)
      fieldValue = call('HGET', FACTS, openField) or ''
    end
    local from = factsPlace(number)
    local facts = string.sub(fieldValue, from + 1, from + factsBytes * size)
    local whole = math.floor(#facts / factsBytes)
    parts[#parts + 1] = whole == size and facts or string.sub(facts, 1, factsBytes * whole) .. string.rep(noFacts, size - whole)
    number, count = number + size, count - size
  end
end

-- The facts of these, one after the other, by the runs of their seqs.
local function factsOfAll(names, firsts, counts)
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
  else
    for i = 1, #firsts do addFacts(parts, firsts[i], counts[i]) end
  end
  return table.concat(parts)
end

-- The points of the blocks that confirmed transactions of these scores.
local function pointsOf(texts)
  local list, known = {}, {}
  for i = 1, #texts do
    local score = tonumber(texts[i]) or 0
    local number = score >= CONFIRMED * T and score < FINALIZED * T and tickOf(score)
    if number and not known[number] then
      known[number] = true
      list[#list + 1] = number
      list[#list + 1] = pointOf(number) or ''
    end
  end
  return list
end

-- The scores of transactions in flight, in order of seq, for pages of many. Those of one stage and tick stand side by side in `idx`, and
-- differ only in the digits of the seq. So one that is asked for tells the others, if the page has few stages and ticks; else nil. Only for
-- pages that have all in flight from their first seq to their last: otherwise the server would read what lies between.
local function scoresByTick(names, seqs)
  local count = #names
  local first, last = tonumber(seqs[1]), tonumber(seqs[count])
  if count <= few or last - first >= P or first % P > last % P then return nil end
  local texts, asked, places = {}, 0, nil
  for i = 1, count do
    if not texts[i] then
      asked = asked + 1
      if asked > count / few then return nil end
      local text = call('ZMSCORE', IDX, names[i])[1] or '0'
      local score = tonumber(text) or 0
      texts[i] = text
      local base = score - score % P
      local found = score >= PROPAGATED * T and score < FINALIZED * T
        and call('ZRANGEBYSCORE', IDX, base + first % P, base + last % P) or {}
      local same = 0
      while same < #found and found[same + 1] == names[i + same] do
        same = same + 1
        texts[i + same - 1] = text
      end
      if same < #found and not places then
        places = {}
        for n = 1, count do places[names[n]] = n end
      end
      for n = same + 1, #found do
        local place = places[found[n]]
        if place then texts[place] = text end
      end
    end
  end
  return texts
end

-- `found`: hash, seq, hash, seq … `isScored`: each seq is the score of its hash, as that of a Pending transaction is. `areSorted`: they are
-- in order of seq.
local function page(found, limit, isScored, isApart, areSorted)
  local names, seqs = {}, {}
  for i = 1, #found / 2 do names[i] = found[2 * i - 1] end
  local reply = { tick, epoch, seq, '', '', false, {}, '' }
  local count = reach(reply, 9, names, limit, isApart)
  for i = #names, count + 1, -1 do names[i] = nil end
  for i = 1, count do seqs[i] = found[2 * i] end
  if not isScored then
    local text, each = scoreRuns(areSorted and scoresByTick(names, seqs) or ask(names, 'ZMSCORE', IDX), count)
    reply[6], reply[7] = text, pointsOf(each)
  end
  local text, firsts, counts = seqRuns(seqs, areSorted)
  reply[4], reply[5], reply[8] = cmsgpack.pack(names), text, factsOfAll(names, firsts, counts)
  return reply
end
