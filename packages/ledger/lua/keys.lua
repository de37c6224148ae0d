-- Purpose: the begin of every script of a ledger: its keys by name.
-- KEYS: 1 meta, 2 log, 3 ids, 4 wallets, 5 balances, 6 index, 7 history, 8 due, 9 refusals, 10 openings, 11 marks;
--       in a cluster one more that never exists
--
-- meta      hash: format; seq, at and digest of the newest record; first, the oldest that is kept, and before, the digest in front of it;
--           trimmedAt, the time of the last that was trimmed; ids, wallets and marks, how many there are; calls of sweep and trim that an answer may have been lost of
-- log       stream of all records, the id of an entry is <seq>-0
-- ids       hash: id of a transfer -> a letter for its state, then its seq
-- wallets   hash: id -> lines: created seq, created at, owner, what it was created with, its tags as JSON
-- balances  hash: id -> what changes with transfers, packed: see balance.lua
-- index     sorted set by name: wallets in order of creation, all of them, by owner and by tag: see index.lua
-- history   hash: wallet id, line break, n -> the seqs of its transfers from the (64 n)th to the (64 n + 63)rd, six bytes each
-- due       sorted set by the time of expiry: seq in 16 digits, then the id of a pending reservation
-- refusals  hash: owner -> how many are recorded
-- openings  hash: id of a wallet -> what trimmed records add up to, packed, and how many of them are of this wallet
-- marks     hash: name of a coupling, line break, hash -> what the coupling keeps for the hash
local call, format, sub, floor = redis.call, string.format, string.sub, math.floor
local META, LOG, IDS, WALLETS, BALANCES, INDEX, HISTORY, DUE, REFUSALS, OPENINGS, MARKS = unpack(KEYS)
local FORMAT, perChunk = '1', 64

local function fail(words)
  error('LEDGER_' .. words, 0)
end

-- Text of a whole number: Lua's own conversion writes large ones as 1.7e+12.
local function whole(number)
  return format('%.0f', number)
end

local function serverTime()
  local time = call('TIME')
  return time[1] * 1000 + floor(time[2] / 1000)
end

-- Calls a command on a key with any number of items: Lua's stack holds some thousands. An even number, so that pairs stay together.
local function each(items, command, key)
  for from = 1, #items, 4000 do
    call(command, key, unpack(items, from, math.min(from + 3999, #items)))
  end
end
