-- Purpose: refuses to read from a replica, because its data may be old. A server may become a replica at any time.
-- The attempted write changes nothing. Other errors of it do not prevent a read.
-- Error: READONLY, as the server puts it
local tried = redis.pcall('HDEL', META, '-')
if type(tried) == 'table' and tried.err and string.find(tried.err, 'READONLY', 1, true) then return tried end
