-- Purpose: brings a mirror of a priority pool up to date.
-- KEYS: priority/changes.lua   ARGV: 1 priority/recall.lua, 2–4 epoch, version and stamp of the mirror
-- Returns: as `compare` of priority/changes.lua | as priority/recall.lua
-- Rules: N1, X2
return compare(ARGV[2], tonumber(ARGV[3]), ARGV[4])
