-- Purpose: the transactions that fit into a budget, without payloads.
-- KEYS: pool/keys.lua   ARGV: 1–4 fifo/reap.lua
-- Returns: { hash, seq, bytes, hash … }
return reap(1)
