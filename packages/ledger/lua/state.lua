-- Purpose: the ledger's numbers, and that nothing of it is gone.
-- Errors: LEDGER_GONE (there is no ledger), LEDGER_FORMAT <format>, LEDGER_LOST <key> (evicted or deleted, whole or in part)
local stored, headSeq, headAt, headDigest, first, before, idCount, walletCount, markCount, trimmedAt =
  unpack(call('HMGET', META, 'format', 'seq', 'at', 'digest', 'first', 'before', 'ids', 'wallets', 'marks', 'trimmedAt'))
if not stored then fail('GONE') end
if stored ~= FORMAT then fail('FORMAT ' .. stored) end
headSeq, headAt, first = tonumber(headSeq), tonumber(headAt), tonumber(first)
idCount, walletCount, markCount, trimmedAt = tonumber(idCount), tonumber(walletCount), tonumber(markCount), trimmedAt and tonumber(trimmedAt)
if not (headSeq and headAt and headDigest and first and before and idCount and walletCount and markCount) then fail('CORRUPT ' .. META) end
if call('XLEN', LOG) ~= headSeq - first + 1 then fail('LOST ' .. LOG) end
if call('HLEN', IDS) ~= idCount then fail('LOST ' .. IDS) end
if call('HLEN', WALLETS) ~= walletCount then fail('LOST ' .. WALLETS) end
if call('HLEN', BALANCES) ~= walletCount then fail('LOST ' .. BALANCES) end
if call('HLEN', MARKS) ~= markCount then fail('LOST ' .. MARKS) end
