-- Purpose: puts changes in the order of events and log, by seq.
-- Rules: E1, L8

-- Fills in the seq of the changes that were in flight (`seq` is false) and sorts; `names` are their hashes.
local function order(changes, names)
  local flying = scores(FLIGHT, names)
  local sorted, last = true, 0
  for i, change in ipairs(changes) do
    change.seq = change.seq or flying[i]
    sorted = sorted and change.seq > last
    last = change.seq
  end
  if not sorted then table.sort(changes, function(a, b) return a.seq < b.seq end) end
end
