-- Purpose: what a budget has room for, without its payloads.
-- KEYS: keys.lua   ARGV: 1–4 reap.lua
-- Returns: { hash, seq, bytes, hash … }
return reap(1)
