-- Purpose: a page of transactions. Its records come in small parts, so that it ends soon after its limit of bytes; core cuts it exactly.
-- Or they are `apart`: the page tells how far it reaches, and the caller asks for them itself, since a payload that passes through Lua
-- costs three times as much. Then pool/written.lua tells whether they are still those of this moment.
-- Returns: { tick, epoch, seq of the pool, names, seqs, scores, points, facts, then the parts of the records: { record or nil … } … }
--   names: the hashes, as a MessagePack array, which costs a third of `table.concat`;
--   seqs: a text of runs, with commas between them: 'seq', or 'seq count' for that many, each seq one more than the one before it;
--   scores, unless each seq is its score: 'score', or 'score count' for that many of one score. The last six digits of a score in flight
--   may be those of another seq;
--   points: { tick, confirming point … } of the Confirmed ones; facts: 14 bytes for each record
-- A table for each transaction, or another copy of its payload, costs more than the rest.
-- Rules: O6, X1, M2
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
  return count * largest <= limit
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

local function runText(text, count)
  return count > 1 and text .. ' ' .. count or text
end

-- `found`: hash, seq, hash, seq … It becomes a list of the hashes: another table would cost as much as the rest. Returns the runs of the
-- seqs, each seq one more than the one before it: the text of the first, its number, and its place in the list.
local function takeSeqs(found)
  local runs, count, distance = {}, #found / 2, nil
  for i = 1, count do
    local text = found[2 * i]
    found[i] = found[2 * i - 1]
    if text - i ~= distance then
      distance = text - i
      runs[#runs + 1] = { text = text, first = tonumber(text), from = i }
    end
  end
  for i = 2 * count, count + 1, -1 do found[i] = nil end
  return runs
end

-- The first of the runs, which have `count` seqs together, each with its `count`; and their text.
local function cutRuns(runs, count)
  local first, texts = {}, {}
  for i, run in ipairs(runs) do
    if run.from > count then break end
    local after = runs[i + 1]
    run.count = (after and math.min(after.from, count + 1) or count + 1) - run.from
    first[i], texts[i] = run, runText(run.text, run.count)
  end
  return first, table.concat(texts, ',')
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

-- Appends the facts of the seqs of a run, in one piece for each field.
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
local function factsOfAll(names, runs)
  local parts = {}
  if KEYS[15] then
    for i = 1, #names do parts[i] = factsOf(names[i]) end
  else
    for _, run in ipairs(runs) do addFacts(parts, run.first, run.count) end
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

-- The score of the first, if all have its stage and tick. They have all seqs from the first to the last, so then as many have such scores,
-- unless an older one has the same digits of the seq.
local function scoreOfAll(names, first, last)
  local oldest = call('ZRANGEBYSCORE', FLIGHT, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local text = call('ZMSCORE', IDX, names[1])[1]
  if not (oldest and text) or seq - oldest >= P then return nil end
  local base = text - text % P
  if base < PROPAGATED * T or base >= FINALIZED * T then return nil end
  return call('ZCOUNT', IDX, base + first % P, base + last % P) == #names and text
end

-- The scores of transactions in flight, in order of seq, for pages of many. Those of one stage and tick stand side by side in `idx`, and
-- differ only in the digits of the seq. So one that is asked for tells the others, if the page has few stages and ticks; else nil. Only for
-- pages that have all in flight from their first seq to their last: otherwise the server would read what lies between.
local function scoresByTick(names, first, last)
  local count = #names
  if last - first >= P or first % P > last % P then return nil end
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

-- The runs of the scores of transactions in flight, and the points. `runs`: of their seqs.
local function scoresAndPoints(names, runs, areSorted)
  local count, first, last = #names, nil, nil
  if areSorted and count > few then
    first, last = runs[1].first, runs[#runs].first + runs[#runs].count - 1
    local text = #runs == 1 and scoreOfAll(names, first, last)
    if text then return runText(text, count), pointsOf({ text }) end
  end
  local texts, each = scoreRuns(first and scoresByTick(names, first, last) or ask(names, 'ZMSCORE', IDX), count)
  return texts, pointsOf(each)
end

-- `found`: hash, seq, hash, seq … `isScored`: each seq is the score of its hash, as that of a Pending transaction is. `areSorted`: they are
-- in order of seq.
local function page(found, limit, isScored, isApart, areSorted)
  local runs, names = takeSeqs(found), found
  local reply = { tick, epoch, seq, '', '', false, {}, '' }
  local count = reach(reply, 9, names, limit, isApart)
  for i = #names, count + 1, -1 do names[i] = nil end
  runs, reply[5] = cutRuns(runs, count)
  if not isScored then reply[6], reply[7] = scoresAndPoints(names, runs, areSorted) end
  reply[4], reply[8] = cmsgpack.pack(names), factsOfAll(names, runs)
  return reply
end
