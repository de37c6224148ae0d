-- Purpose: the time of a call, in milliseconds since 1970: the caller's time, but never later than the pool's. The pool's time is the
-- application's, or else the server's. `given`: the caller's time or ''; `own`: the application's time or ''.
local poolTime
local function callTime(given, own)
  if not poolTime then
    local time = own == '' and call('TIME')
    poolTime = time and time[1] * 1000 + math.floor(time[2] / 1000) or tonumber(own)
  end
  return given == '' and poolTime or math.min(tonumber(given), poolTime)
end

-- The time of a call for its events: never before that of the last call, and at most 48 bits.
local function eventTime(own)
  return string.format('%.0f', math.min(math.max(math.floor(callTime('', own)), lastAt, 1), 2 ^ 48 - 1))
end
