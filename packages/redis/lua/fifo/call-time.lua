-- Purpose: the time of a call, in milliseconds since 1970: the caller's time, but never later than the pool's. The pool's time is the
-- application's, or else the server's. `given`: the caller's time or ''; `own`: the application's time or ''.
local function callTime(given, own)
  local time = own == '' and call('TIME')
  local now = time and time[1] * 1000 + math.floor(time[2] / 1000) or tonumber(own)
  return given == '' and now or math.min(tonumber(given), now)
end
