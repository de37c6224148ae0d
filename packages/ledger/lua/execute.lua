-- Purpose: carries out calls in order, each alone, or linked: all or none. Twin of packages/ledger/src/rules/execute.ts.
-- KEYS: keys.lua   ARGV: 1 '1' for linked or '', 2 how long records are kept in ms or '', 3 most refusals of an owner, 4 how far an id's
-- time may be ahead in ms; then ten for each request: kind (transfer, reserve, post, void), id, content, time of the id in ms or '',
-- source or pending id, destination, amount or '', currency, timeout in ms or '', signed by or ''
-- Returns: for each request { outcome, 1 if it was there before, else 0, and if it is recorded: state, seq, at, id, digest, result,
-- content, empty if it is the request's }
local isLinked, retention, maxRefusals, maxAhead = ARGV[1] == '1', tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local unrecorded = { invalid_id = true, id_conflict = true, id_expired = true, signature_invalid = true }

local function readRequest(at)
  local kind, id, content, issued, source, destination, amount, currency, timeout, signedBy = unpack(ARGV, at, at + 9)
  local request = { kind = kind, id = id, content = content, issuedAt = tonumber(issued), timeout = tonumber(timeout) }
  if amount ~= '' then request.high, request.low = split(amount) end
  if kind == 'post' or kind == 'void' then
    request.pendingId = source
    return request
  end
  request.source, request.destination, request.currency, request.signedBy = source, destination, currency, signedBy
  return request
end

local function answerOf(record, known, isReplayed)
  local outcome = string.match(record.result, '^[^\n]*')
  return { outcome, isReplayed and 1 or 0, unpack(view(record, known)) }
end

-- The answer that an id has already, or id_conflict; nil for a new id.
local function replayOf(request)
  local record = transferOf(request.id)
  if not record then return nil end
  return record.content == request.content and answerOf(record, request.content, true) or { 'id_conflict', 0 }
end

-- Which rule refuses the id; nil if none does. Its record may be gone, also under a retention that was shorter than the one of now. Once
-- records were trimmed, that is so for every id without a time.
local function idOutcome(issuedAt)
  if not issuedAt then return trimmedAt and 'invalid_id' or nil end
  if retention and issuedAt > now + maxAhead then return 'invalid_id' end
  local isForgotten = retention and issuedAt < now - retention or trimmedAt and issuedAt <= trimmedAt + maxAhead
  return isForgotten and 'id_expired' or nil
end

local function outcomeOf(request)
  if request.pendingId then return resolveOutcome(request) end
  return idOutcome(request.issuedAt) or moveOutcome(request)
end

local function carryOut(request)
  if request.pendingId then return answerOf(carryOutResolve(request), request.content, false) end
  return answerOf(carryOutMove(request), request.content, false)
end

-- Whose refusals are counted: the owner of the wallet that was to pay, '' if it is not known.
local function ownerOf(request)
  local source = request.source
  if request.pendingId then
    local record = transferOf(request.pendingId)
    if not record then return '' end
    source = linesOf(record.result)[1] == 'created' and linesOf(record.result)[2] or saidOf(record)[2]
  end
  local static = call('HGET', WALLETS, source)
  return static and readStatic(static).owner or ''
end

local function refuse(request, outcome)
  if unrecorded[outcome] then return { outcome, 0 } end
  local owner = ownerOf(request)
  local count = refusalsOf(owner)
  if count >= maxRefusals then return { 'too_many_refusals', 0 } end
  local record = append('transfer', request.id, request.content, outcome .. '\n' .. owner)
  refusals[owner] = count + 1
  return answerOf(keepTransfer(record, REFUSED), request.content, false)
end

local function executeAlone(requests)
  local answers = {}
  for i, request in ipairs(requests) do
    local known = replayOf(request)
    local outcome = known or outcomeOf(request)
    answers[i] = known or outcome == 'created' and carryOut(request) or refuse(request, outcome)
  end
  return answers
end

-- When one is refused, what those before it did is taken back, and each that had no answer yet gets linked_failed.
local function failChain(requests, failed, outcome)
  takeBack()
  local answers = {}
  for i, request in ipairs(requests) do
    answers[i] = replayOf(request) or refuse(request, i == failed and outcome or 'linked_failed')
  end
  return answers
end

local function executeLinked(requests)
  local answers = {}
  for i, request in ipairs(requests) do
    local known = replayOf(request)
    local outcome = known and known[1] or outcomeOf(request)
    if outcome ~= 'created' then return failChain(requests, i, outcome) end
    answers[i] = known or carryOut(request)
  end
  return answers
end

local requests, ids, touched = {}, {}, {}
for at = 5, #ARGV, 10 do
  local request = readRequest(at)
  requests[#requests + 1] = request
  ids[#ids + 1] = request.id
  if request.pendingId then
    ids[#ids + 1] = request.pendingId
  else
    touched[#touched + 1] = request.source
    touched[#touched + 1] = request.destination
  end
end
prefetch(IDS, ids, storedIds)
prefetch(BALANCES, touched, storedBalances)
local answers = isLinked and executeLinked(requests) or executeAlone(requests)
write({})
return answers
