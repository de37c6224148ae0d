-- Purpose: the numbers of the application's records.
-- KEYS: pool/keys.lua
-- Returns: { version of the last change, bytes of all names and values }
-- Rules: K1, D3
return { recordVersion, recordBytes }
