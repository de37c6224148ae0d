-- Purpose: appends packed events, at most 1,000, as one entry of the stream with the id `<number of the last>-<how many>`.
-- The field name is the epoch. A second field is the trail: a digest of all calls before. It shows a reader that the server lost
-- calls and went on with others. The digest covers the call's id and the first 200 bytes of its events: an id names one call, and
-- a digest of a hundred events would cost 40 µs.
-- A third field is the time of the call.
-- Rules: E1, E3, E5
local function append(size, packed, at)
  lastAt = at
  eventSeq = eventSeq + size
  call('XADD', EVENTS, 'MINID', maxEvents < 10000 and '=' or '~', math.max(0, eventSeq - maxEvents + 1),
    string.format('%d-%d', eventSeq, size), epoch, packed, 'trail', trail, 'at', at)
  trail = string.sub(redis.sha1hex(trail .. ARGV[1] .. string.sub(packed, 1, 200)), 1, 16)
end
