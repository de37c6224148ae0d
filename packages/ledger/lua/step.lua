-- Purpose: what a step has changed so far, laid over what is stored. Nothing is written before everything is known: a script cannot
-- take back a write. Twin of packages/ledger/src/rules/step-builder.ts.
local now = math.max(serverTime(), headAt)
local storedBalances, storedIds = {}, {}
local seq, digest, records, wallets, transfers, resolved, refusals, dueAdded, dueRemoved

-- Begins the step, and takes back all of it.
local function takeBack()
  seq, digest, records, wallets, transfers = headSeq, headDigest, {}, {}, {}
  resolved, refusals, dueAdded, dueRemoved = {}, {}, {}, {}
end
takeBack()

-- Reads many fields of a hash at once.
local function prefetch(key, names, into)
  for from = 1, #names, 4000 do
    local last = math.min(from + 3999, #names)
    local values = call('HMGET', key, unpack(names, from, last))
    for i = from, last do into[names[i]] = values[i - from + 1] end
  end
end

local function walletOf(id)
  local wallet = wallets[id]
  if wallet == nil then
    if storedBalances[id] == nil then storedBalances[id] = call('HGET', BALANCES, id) end
    wallet = storedBalances[id] and readBalance(id, storedBalances[id])
    wallets[id] = wallet
  end
  return wallet
end

local function transferOf(id)
  local record = transfers[id]
  if record == nil then
    if storedIds[id] == nil then storedIds[id] = call('HGET', IDS, id) end
    record = storedIds[id] and readStored(storedIds[id])
    transfers[id] = record
  end
  return record
end

local function refusalsOf(owner)
  return refusals[owner] or tonumber(call('HGET', REFUSALS, owner) or 0)
end

local function append(type, id, content, result)
  seq = seq + 1
  local number, at = whole(seq), whole(now)
  digest = redis.sha1hex(digest .. '\n' .. number .. '\n' .. at .. '\n' .. type .. '\n' .. id .. '\n' .. content .. '\n' .. result)
  local record = { seq = seq, at = now, type = type, id = id, content = content, result = result, digest = digest }
  records[#records + 1] = record
  return record
end

local function keepTransfer(record, state)
  record.state = state
  transfers[record.id] = record
  return record
end

local function resolve(record, state)
  record.state = state
  resolved[#resolved + 1] = record
end

-- A wallet that the newest record has changed; with `isMoved` the record is one of its transfers.
local function touch(wallet, isMoved)
  wallet.version, wallet.isChanged = seq, true
  if not isMoved then return end
  wallet.moved = wallet.moved or {}
  wallet.moved[#wallet.moved + 1] = seq
end
