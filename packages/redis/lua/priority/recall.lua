-- Purpose: answers a call on a priority pool whose operation id is known.
-- ARGV: 1 operation id, or '' without one
-- Returns: { 'known', the record of the id }
-- Rules: X2
local record = ARGV[1] ~= '' and (call('HGET', OPS, ARGV[1]) or call('HGET', OPS_OLD, ARGV[1]))
if record then return { 'known', record } end
