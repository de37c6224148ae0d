-- Purpose: one record of the application.
-- KEYS: pool/keys.lua   ARGV: 1 name
-- Returns: { as pool/records.lua has it, or nil }
-- Rules: K1
return { call('HGET', RECORDS, ARGV[1]) }
