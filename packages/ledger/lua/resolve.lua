-- Purpose: the rules for a post or void, and what an expiry does. Twin of packages/ledger/src/rules/resolve.ts.
-- A reservation whose time has come counts as expired before the sweep.
local function resolveOutcome(request)
  local record = transferOf(request.pendingId)
  if not record or record.state == REFUSED then return 'pending_not_found' end
  if not isReserve(record) then return 'pending_mismatch' end
  if record.state == POSTED then return 'pending_already_posted' end
  if record.state == VOIDED then return 'pending_already_voided' end
  local expires = expiresAt(record)
  if record.state == EXPIRED or expires and expires <= now then return 'pending_already_expired' end
  if request.high and exceeds(request.high, request.low, split(saidOf(record)[4])) then return 'exceeds_pending_amount' end
  return 'created'
end

-- Ends a reservation. What is not moved is released.
local function release(record, id, content, state, movedHigh, movedLow)
  local said = saidOf(record)
  local source, destination = walletOf(said[2]), walletOf(said[3])
  if not (source and destination) then fail('LOST ' .. BALANCES) end
  local result = table.concat({ 'created', said[2], said[3], digits(movedHigh, movedLow), said[5], said[4] }, '\n')
  local ending = append('transfer', id, content, result)
  unhold(source, destination, split(said[4]))
  addDebit(source, movedHigh, movedLow)
  addCredit(destination, movedHigh, movedLow)
  touch(source, true)
  touch(destination, true)
  if expiresAt(record) then dueRemoved[#dueRemoved + 1] = format('%016d', record.seq) .. record.id end
  resolve(record, state)
  return keepTransfer(ending, state)
end

local function carryOutResolve(request)
  local record = transferOf(request.pendingId)
  local high, low = request.high, request.low
  if request.kind == 'void' then
    high, low = 0, 0
  elseif not high then
    high, low = split(saidOf(record)[4])
  end
  return release(record, request.id, request.content, request.kind == 'void' and VOIDED or POSTED, high, low)
end
