-- Purpose: refuses to read from a replica, because its data may be old. A server may become a replica at any time.
-- The attempted write changes nothing. Other errors of it do not prevent a read.
-- Needs: META, the name of a hash
-- Error: READONLY, as the server puts it
-- Rules: M2
local tried = redis.pcall('HDEL', META, '-')
if type(tried) == 'table' and tried.err and string.find(tried.err, 'READONLY', 1, true) then return tried end
