-- Purpose: the rules for a transfer or a reservation. Twin of packages/ledger/src/rules/move.ts.
local function signerOf(id)
  return cjson.decode(readStatic(call('HGET', WALLETS, id) or '').content)[5]
end

-- Which rule refuses it; 'created' if none does.
local function moveOutcome(request)
  local source, destination = walletOf(request.source), walletOf(request.destination)
  local high, low = request.high, request.low
  if source and source.signed and signerOf(source.id) ~= request.signedBy then return 'signature_invalid' end
  if request.source == request.destination then return 'same_wallet' end
  if not source then return 'source_wallet_not_found' end
  if not destination then return 'destination_wallet_not_found' end
  if source.closed or destination.closed then return 'wallet_closed' end
  if source.currency ~= request.currency or destination.currency ~= request.currency then return 'currency_mismatch' end
  local outHigh, outLow = plus(source.debitsHigh, source.debitsLow, source.reservedHigh, source.reservedLow)
  outHigh, outLow = plus(outHigh, outLow, high, low)
  if not source.overdraft and exceeds(outHigh, outLow, source.creditsHigh, source.creditsLow) then return 'insufficient_funds' end
  if exceeds(outHigh, outLow, mostHigh, mostLow) then return 'overflow' end
  local inHigh, inLow = plus(destination.creditsHigh, destination.creditsLow, destination.comingHigh, destination.comingLow)
  inHigh, inLow = plus(inHigh, inLow, high, low)
  if exceeds(inHigh, inLow, mostHigh, mostLow) then return 'overflow' end
  return 'created'
end

-- Records one that no rule refuses.
local function carryOutMove(request)
  local record = append('transfer', request.id, request.content, 'created')
  local source, destination = walletOf(request.source), walletOf(request.destination)
  if request.kind == 'transfer' then
    addDebit(source, request.high, request.low)
    addCredit(destination, request.high, request.low)
  else
    hold(source, destination, request.high, request.low)
    if request.timeout then
      dueAdded[#dueAdded + 1] = whole(record.at + request.timeout)
      dueAdded[#dueAdded + 1] = format('%016d', record.seq) .. record.id
    end
  end
  touch(source, true)
  touch(destination, true)
  return keepTransfer(record, request.kind == 'transfer' and POSTED or PENDING)
end
