-- Purpose: records of the log.
-- Letters of a transfer's state: p pending, d posted, v voided, e expired, r refused.
local PENDING, POSTED, VOIDED, EXPIRED, REFUSED = 'p', 'd', 'v', 'e', 'r'

local function entryId(number)
  return format('%d-0', number)
end

-- A record from an entry of the stream: its fields are written in this order.
local function readEntry(entry)
  local fields = entry[2]
  return { seq = tonumber((string.match(entry[1], '^%d+'))), at = tonumber(fields[2]), type = fields[4], id = fields[6],
    content = fields[8], result = fields[10], digest = fields[12] }
end

local function readRecord(number)
  local entry = call('XRANGE', LOG, entryId(number), entryId(number))[1]
  if not entry then fail('LOST ' .. LOG) end
  return readEntry(entry)
end

-- A transfer's record from its value in `ids`.
local function readStored(value)
  local record = readRecord(tonumber(sub(value, 2)))
  record.state = sub(value, 1, 1)
  return record
end

local function isReserve(record)
  return sub(record.content, 1, 10) == '["reserve"'
end

-- What the caller said: kind, source, destination, amount, currency, description, metadata, pending id, timeout.
local function saidOf(record)
  record.said = record.said or cjson.decode(record.content)
  return record.said
end

local function expiresAt(record)
  local timeout = saidOf(record)[9]
  return type(timeout) == 'number' and record.at + timeout or nil
end

-- The lines of a result: of a post, void or expire that was created: created, source, destination, moved, currency, released.
local function linesOf(result)
  local lines = {}
  for line in string.gmatch(result .. '\n', '([^\n]*)\n') do lines[#lines + 1] = line end
  return lines
end

-- A record and its state as the answers have it. Without the content if the caller knows it.
local function view(record, known)
  return { record.state, record.seq, record.at, record.id, record.digest, record.result, record.content == known and '' or record.content }
end
