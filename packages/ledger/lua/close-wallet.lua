-- Purpose: closes a wallet that holds nothing and has reserved nothing. Twin of packages/ledger/src/rules/wallets.ts.
-- KEYS: keys.lua   ARGV: 1 id
-- Returns: { outcome, its two values if there is one }
local known, wallet = call('HGET', WALLETS, ARGV[1]), walletOf(ARGV[1])
if not (known and wallet) then return { 'wallet_not_found' } end
if wallet.closed then return { 'closed', known, storedBalances[ARGV[1]] } end
local isLevel = wallet.creditsHigh == wallet.debitsHigh and wallet.creditsLow == wallet.debitsLow
if not isLevel or wallet.reservedHigh + wallet.reservedLow > 0 then return { 'wallet_not_empty', known, storedBalances[ARGV[1]] } end
append('close', ARGV[1], '', '')
wallet.closed = true
touch(wallet, false)
write({})
return { 'closed', known, packBalance(wallet) }
