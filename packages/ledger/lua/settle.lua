-- Purpose: compares the marks of a coupling, carries out all requests and changes the marks, or changes nothing. Twin of `settle` in
-- packages/ledger/src/rules/execute.ts.
-- KEYS: keys.lua   ARGV: 1 coupling, 2 how many marks, then for each mark: hash, '1' and the text that is expected or '', '1' and the text
-- to write or ''; then ten for each request as in execute.lua, without the time of the id
-- Returns: { 'settled', a record for each request }, or { 'changed' }, or { the outcome of the request that is refused }
local prefix, markEnd = ARGV[1] .. '\n', 2 + 3 * tonumber(ARGV[2])
local added, removed, difference = {}, {}, 0

for at = 3, markEnd, 3 do
  local field, expected, wanted = prefix .. ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local text = call('HGET', MARKS, field)
  if (text and '1' .. text or '') ~= expected then return { 'changed' } end
  if wanted ~= '' then
    added[#added + 1] = field
    added[#added + 1] = sub(wanted, 2)
    if not text then difference = difference + 1 end
  elseif text then
    removed[#removed + 1] = field
    difference = difference - 1
  end
end

local function readRequest(at)
  local kind, id, content, _, source, destination, amount, currency, timeout, signedBy = unpack(ARGV, at, at + 9)
  local request = { kind = kind, id = id, content = content, timeout = tonumber(timeout) }
  if amount ~= '' then request.high, request.low = split(amount) end
  if kind == 'post' or kind == 'void' then
    request.pendingId = source
  else
    request.source, request.destination, request.currency, request.signedBy = source, destination, currency, signedBy
  end
  return request
end

local answer = { 'settled' }
for at = markEnd + 1, #ARGV, 10 do
  local request = readRequest(at)
  local outcome = transferOf(request.id) and 'id_conflict' or request.pendingId and resolveOutcome(request) or moveOutcome(request)
  if outcome ~= 'created' then return { outcome } end
  answer[#answer + 1] = view(request.pendingId and carryOutResolve(request) or carryOutMove(request), request.content)
end
write({ 'marks', whole(markCount + difference) })
each(added, 'HSET', MARKS)
each(removed, 'HDEL', MARKS)
return answer
