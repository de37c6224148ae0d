-- Purpose: what a budget has room for, without its payloads.
-- KEYS: pool/keys.lua   ARGV: 1–4 fifo/reap.lua
-- Returns: { hash, seq, bytes, hash … }
return reap(1)
