-- Purpose: puts changes in the order of events and log, by seq.
-- Rules: E1, L8

-- Fills in the seq of the changes that were in flight, as `text` as the server wrote it, and sorts.
local function order(changes)
  local flying, names = {}, {}
  for _, change in ipairs(changes) do
    if not change.seq then
      flying[#flying + 1] = change
      names[#flying] = change.hash
    end
  end
  local numbers, texts = scores(FLIGHT, names)
  for i = 1, #flying do flying[i].seq, flying[i].text = numbers[i], texts[i] end
  local sorted, last = true, 0
  for _, change in ipairs(changes) do
    sorted = sorted and change.seq > last
    last = change.seq
  end
  if not sorted then table.sort(changes, function(a, b) return a.seq < b.seq end) end
end
