-- Purpose: computes the changes of a block. Transactions of one stage and tick change alike, except for the seq, so each such
-- transition is computed once.
-- A Dropped transaction that the block includes stays as it is if its log entry is damaged: its seq is lost (M2).
-- Rules: L5, L6, L7, L12, E1, M2
local changed, transitions, seqs, texts, vacatedTicks = {}, {}, {}, {}, {}

-- The transition from a stage and tick, with these counters, to another stage: what it means for events, index and log.
local function transitionTo(to, why, from, since, confirmed, missed)
  if from == CONFIRMED then vacatedTicks[since] = true end
  local transition = { from = from, to = to }
  if to == CONFIRMED then
    transition.tail = tail(why, CONFIRMED, from, confirmed, missed, 1, 0, tip)
  elseif to == PENDING then
    transition.tail = tail(why, PENDING, from, confirmed, missed, 0, 0)
  elseif to == FINALIZED then
    transition.at = from == CONFIRMED and since or tick
    transition.depth, transition.missed, transition.note = tick - transition.at + 1, 0, pointOf(transition.at)
    transition.tail = tail(why, FINALIZED, from, confirmed, missed, transition.depth, 0, transition.note)
  else
    transition.at, transition.depth, transition.missed, transition.note = 0, 0, tick - since, 'stale'
    transition.tail = tail(why, DROPPED, from, confirmed, missed, 0, transition.missed, false, 'stale')
  end
  return transition
end

-- One cause of changes in a block: the new stage, the code of the cause, the stages it applies to, how many transactions it changes, and their
-- transitions by the first digits of the old score.
local function newCause(to, why, ...)
  local leaves = {}
  for _, stage in ipairs({ ... }) do leaves[stage] = true end
  return { to = to, why = why, leaves = leaves, count = 0, transitions = {} }
end

-- The transition for a score, or nil; with it the seq, where that is known.
local function transitionOf(hash, text, cause)
  local to, why, leaves = cause.to, cause.why, cause.leaves
  local score = tonumber(text)
  local from, since = math.floor(score / T), tickOf(score)
  if from > DROPPED then
    -- A damaged stage. Its seq is known if it was in flight.
    local number = leaves[PROPAGATED] and call('ZSCORE', FLIGHT, hash)
    return number and transitionTo(to, why, PROPAGATED, tick - 1, 0, 0), tonumber(number), number
  end
  if not leaves[from] then return nil end
  if from == PENDING then return transitionTo(to, why, from, 0, 0, 0), score % H, score < H and text or string.format('%d', score % H) end
  if from == CONFIRMED then return transitionTo(to, why, from, since, tick - since, 0) end
  if from ~= DROPPED then return transitionTo(to, why, from, since, 0, tick - 1 - since) end
  local number, confirmed, missed, kept = endOf(hash, score)
  if not number then return nil end
  local transition = transitionTo(to, why, from, since, confirmed, missed)
  transition.kept = kept
  return transition, number, string.format('%d', number)
end

local function change(hash, text, cause)
  -- A score in flight has 16 digits, and the first ten name stage and tick. A Pending one has fewer.
  local opened = #text == 16 and substring(text, 1, 10)
  local transition, number, digits = cause.transitions[opened], nil, nil
  if not transition then
    transition, number, digits = transitionOf(hash, text, cause)
    if not transition then return end
    if not number then cause.transitions[opened] = transition end
  end
  cause.count = cause.count + 1
  local n = #changed + 1
  changed[n], transitions[n], seqs[n], texts[n] = hash, transition, number or false, digits or text
end
