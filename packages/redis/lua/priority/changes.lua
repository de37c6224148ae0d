-- Purpose: the changes that a node's mirror of a priority pool lacks: those committed after the mirror's version.
-- KEYS: pool/keys.lua, 11 and 12 those of pool/fence.lua, 13 entries, 14 tags, 15 changes
-- `changes`: a stream with ids `<version>-0`. Its one field is named by the stamp of the previous version. Every commit has a new stamp,
-- so a server that lost commits and went on with others has other stamps.
-- Rules: N1, N2
local ENTRIES, TAGS, CHANGES = KEYS[13], KEYS[14], KEYS[15]
local version, stamp, ticket = unpack(call('HMGET', META, 'version', 'stamp', 'ticket'))
version = tonumber(version)
-- Enough changes in one answer for a node far from the server to catch up. priority/commit.lua keeps fewer changes if they are large.
local most, time = 500, call('TIME')

-- { kind, the version of a mirror after these changes, its stamp, seconds and microseconds of the server's clock, change, time of its
-- call, change … }
local function report(kind, number, mark, ...)
  return { kind, number, mark, time[1], time[2], ... }
end

-- `current`; `behind` with all changes that the mirror lacks; `more` with the first of them; `reload` if they are not available.
local function compare(mirrorEpoch, mirrorVersion, mirrorStamp)
  if mirrorEpoch ~= epoch or mirrorVersion > version then return report('reload', version, stamp) end
  if mirrorVersion == version then return report(mirrorStamp == stamp and 'current' or 'reload', version, stamp) end
  local list = call('XRANGE', CHANGES, string.format('%d-0', mirrorVersion + 1), '+', 'COUNT', most + 1)
  local first = list[1]
  if not first or first[1] ~= string.format('%d-0', mirrorVersion + 1) or first[2][1] ~= mirrorStamp then
    return report('reload', version, stamp)
  end
  local changes, kind, last = {}, 'behind', stamp
  if #list > most then kind, last = 'more', list[most + 1][2][1] end
  local count = math.min(#list, most)
  for i = 1, count do changes[2 * i - 1], changes[2 * i] = list[i][2][2], list[i][2][4] end
  return report(kind, mirrorVersion + count, last, unpack(changes))
end
