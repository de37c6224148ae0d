-- Purpose: replaces a wallet's tags. Tags that it has already make no record. Twin of packages/ledger/src/rules/wallets.ts.
-- KEYS: keys.lua   ARGV: 1 id, 2 the tags as JSON, 3… the tags
-- Returns: { outcome, its two values if there is one }
local id, tags = ARGV[1], ARGV[2]
local known, wallet = call('HGET', WALLETS, id), walletOf(id)
if not (known and wallet) then return { 'wallet_not_found' } end
if wallet.closed then return { 'wallet_closed', known, storedBalances[id] } end
local static = readStatic(known)
if static.tags == tags then return { 'set', known, storedBalances[id] } end
call('ZCARD', INDEX)
append('tags', id, tags, '')
touch(wallet, false)
write({})
for _, tag in ipairs(cjson.decode(static.tags)) do call('ZREM', INDEX, member(byTag(tag), static.createdSeq, id)) end
for i = 3, #ARGV do call('ZADD', INDEX, 0, member(byTag(ARGV[i]), static.createdSeq, id)) end
static.tags = tags
call('HSET', WALLETS, id, staticText(static))
return { 'set', staticText(static), packBalance(wallet) }
