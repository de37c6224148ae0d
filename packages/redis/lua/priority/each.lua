-- Purpose: makes the file behind it, priority/commit.lua, a function of the arguments of one step, which priority/all.lua ends and calls.
local function commit(ARGV)
