-- Purpose: when a call is made: the caller's time, but never later than the pool's, which is the application's or the server's.
-- In milliseconds since 1970; `given` and `own` are arguments, '' where nobody said.
local function moment(given, own)
  local time = own == '' and call('TIME')
  local now = time and time[1] * 1000 + math.floor(time[2] / 1000) or tonumber(own)
  return given == '' and now or math.min(tonumber(given), now)
end
