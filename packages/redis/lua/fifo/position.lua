-- Purpose: for priority/load.lua on a fifo pool: a position that every call changes, and no entries and tags.
-- Rules: D3
local ENTRIES, TAGS
local version, stamp = eventSeq, trail .. ' ' .. (maxTxs or '') .. ' ' .. (call('HGET', META, 'recordVersion') or '')
local function report(kind, number, mark)
  return { kind, number, mark, '0', '0' }
end
-- In place of an entry: only the facts that stand in front of one (pool/facts.lua).
local function factsEntry(hash)
  return '\0' .. factsOf(hash)
end
