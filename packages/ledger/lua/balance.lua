-- Purpose: a wallet's counters as they are stored: debits posted, credits posted, debits pending, credits pending, each as billions
-- and rest; the seq that changed it last; how many transfers its history has; flags; then its currency.
local balanceFormat, currencyAt = '>I5I4I5I4I5I4I5I4I6I6B', 50
local OVERDRAFT, CLOSED, SIGNED = 1, 2, 4

local function readBalance(id, bytes)
  if #bytes < currencyAt then fail('CORRUPT ' .. BALANCES) end
  local wallet = { id = id, currency = sub(bytes, currencyAt) }
  local flags
  wallet.debitsHigh, wallet.debitsLow, wallet.creditsHigh, wallet.creditsLow, wallet.reservedHigh, wallet.reservedLow,
    wallet.comingHigh, wallet.comingLow, wallet.version, wallet.count, flags = struct.unpack(balanceFormat, bytes)
  wallet.overdraft, wallet.closed, wallet.signed = flags % 2 >= 1, flags % 4 >= 2, flags >= SIGNED
  return wallet
end

local function packBalance(wallet)
  local flags = (wallet.overdraft and OVERDRAFT or 0) + (wallet.closed and CLOSED or 0) + (wallet.signed and SIGNED or 0)
  return struct.pack(balanceFormat, wallet.debitsHigh, wallet.debitsLow, wallet.creditsHigh, wallet.creditsLow, wallet.reservedHigh,
    wallet.reservedLow, wallet.comingHigh, wallet.comingLow, wallet.version, wallet.count, flags) .. wallet.currency
end

local function addDebit(wallet, high, low)
  wallet.debitsHigh, wallet.debitsLow = plus(wallet.debitsHigh, wallet.debitsLow, high, low)
end

local function addCredit(wallet, high, low)
  wallet.creditsHigh, wallet.creditsLow = plus(wallet.creditsHigh, wallet.creditsLow, high, low)
end

local function hold(source, destination, high, low)
  source.reservedHigh, source.reservedLow = plus(source.reservedHigh, source.reservedLow, high, low)
  destination.comingHigh, destination.comingLow = plus(destination.comingHigh, destination.comingLow, high, low)
end

local function unhold(source, destination, high, low)
  source.reservedHigh, source.reservedLow = minus(source.reservedHigh, source.reservedLow, high, low)
  destination.comingHigh, destination.comingLow = minus(destination.comingHigh, destination.comingLow, high, low)
  if source.reservedHigh < 0 or destination.comingHigh < 0 then fail('CORRUPT ' .. BALANCES) end
end
