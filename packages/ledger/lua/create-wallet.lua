-- Purpose: creates a wallet. To create the same one again changes nothing. Twin of packages/ledger/src/rules/wallets.ts.
-- KEYS: keys.lua   ARGV: 1 id, 2 content, 3 owner, 4 currency, 5 '1' for overdraft or '', 6 '1' if it has a signer or '', 7 tags as JSON, 8… tags
-- Returns: { outcome, 1 if it was there before, else 0, its two values }
local id, content, owner = ARGV[1], ARGV[2], ARGV[3]
local known = call('HGET', WALLETS, id)
if known then
  local isSame = readStatic(known).content == content
  return { isSame and 'created' or 'wallet_exists', isSame and 1 or 0, known, call('HGET', BALANCES, id) }
end
call('ZCARD', INDEX)
local record = append('wallet', id, content, '')
local wallet = { id = id, currency = ARGV[4], debitsHigh = 0, debitsLow = 0, creditsHigh = 0, creditsLow = 0, reservedHigh = 0,
  reservedLow = 0, comingHigh = 0, comingLow = 0, count = 0, overdraft = ARGV[5] == '1', closed = false, signed = ARGV[6] == '1' }
wallets[id] = wallet
touch(wallet, false)
local text = staticText({ createdSeq = record.seq, createdAt = whole(now), owner = owner, content = content, tags = ARGV[7] })
write({ 'wallets', whole(walletCount + 1) })
call('HSET', WALLETS, id, text)
call('ZADD', INDEX, 0, member(everyWallet, record.seq, id), 0, member(byOwner(owner), record.seq, id))
for i = 8, #ARGV do call('ZADD', INDEX, 0, member(byTag(ARGV[i]), record.seq, id)) end
return { 'created', 0, text, packBalance(wallet) }
