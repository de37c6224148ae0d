-- Purpose: receives transactions. A hash that was Dropped starts again; one that the last blocks include becomes Confirmed.
-- KEYS: pool/keys.lua   ARGV: 1 id, 2 verb, 3 hashes to record with the outcome, 4 finalizeThreshold, 5 '' unless a hash
-- is repeated, 6 packed hashes, then for each its record: type as u16, CRC-32 of the payload as u32, payload
-- A hash whose log entry is damaged starts again too, with previous counters of 0. A call without hashes is not recorded.
-- Returns: { a letter for each: p Pending, c Confirmed, f full, else the digit of a duplicate's stage, the first seq, ARGV[3] }
-- Rules: L1, L2, L13, M3
local threshold = tonumber(ARGV[4])
local list = hashes(ARGV[6])
if #list == 0 then return { '', 0, '' } end
local at = scores(IDX, list)
local inclusions = tip ~= '' and scores(SEEN, list) or {}
local letters, index, flight, records = {}, {}, {}, {}
local fresh = ARGV[5] ~= '' and {}
local first = seq + 1
local room = maxTxs and maxTxs - call('ZCOUNT', IDX, 0, CONFIRMED * T - 1) or math.huge
local longest = 0
local newcomer = tail(CAUSE.received, PENDING, UNKNOWN, 0, 0, 0, 0)

local function previous(hash, score)
  if not score then return UNKNOWN, 0, 0 end
  local _, confirmed, missed = endOf(hash, score)
  return DROPPED, confirmed or 0, missed or 0
end

local function begin(i, hash)
  local inclusion = inclusions[i]
  if inclusion and inclusion > tick - threshold then
    local stage, confirmed, missed = previous(hash, at[i])
    flight[#flight + 1] = seq
    flight[#flight + 1] = hash
    event(hash, seq, tail(CAUSE.received, CONFIRMED, stage, confirmed, missed, tick - inclusion + 1, 0, pointOf(inclusion)), arrived)
    return inflightScore(scorePrefix(CONFIRMED, inclusion), string.format('%d', seq)), 'c'
  end
  if at[i] then
    local stage, confirmed, missed = previous(hash, at[i])
    event(hash, seq, tail(CAUSE.received, PENDING, stage, confirmed, missed, 0, 0), arrived)
  else
    event(hash, seq, newcomer, arrived)
  end
  return string.format('%d', seq), 'p'
end

local n = 0
for i = 1, #list do
  local hash = list[i]
  local score = fresh and fresh[hash] or at[i]
  if score and score < DROPPED * T then
    letters[i] = math.floor(score / T)
  elseif score and score >= (DROPPED + 1) * T then
    letters[i] = PROPAGATED
  elseif room < 1 and not (inclusions[i] and inclusions[i] > tick - threshold) then
    letters[i] = 'f'
  else
    seq = seq + 1
    index[n + 1], letters[i] = begin(i, hash)
    arrive(hash)
    index[n + 2] = hash
    if fresh then fresh[hash] = letters[i] == 'c' and CONFIRMED * T or PENDING end
    records[n + 1], records[n + 2] = hash, ARGV[6 + i]
    longest = math.max(longest, #ARGV[6 + i])
    n = n + 2
    room = room - (letters[i] == 'p' and 1 or 0)
  end
end

local reply = { table.concat(letters), first, ARGV[3] }
if n > 0 then
  each(records, 'HSET', BODY)
  each(index, 'ZADD', IDX)
  each(flight, 'ZADD', FLIGHT)
  if longest > largest then save('seq', seq, 'largest', longest) else save('seq', seq) end
end
return finish(reply)
