-- Purpose: refuses to read from a replica, as a server becomes one without a word: what it tells may be old, and never come true.
-- What is tried changes nothing, and any other reason not to write is none not to read.
-- Error: READONLY, as the server puts it
-- Rules: M2
local tried = redis.pcall('HDEL', META, '-')
if type(tried) == 'table' and tried.err and string.find(tried.err, 'READONLY', 1, true) then return tried end
