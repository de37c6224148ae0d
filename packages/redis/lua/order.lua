-- Purpose: puts changes in the order of events and log, by seq.
-- Rules: E1, L8

-- Fills in the seqs of what was in flight, and their texts as the server wrote them; answers the changes' places by seq. What a
-- change is lies in a list for each of its fields: a table for each change would cost as much as its event.
local function order(hashes, seqs, texts)
  local places, flying, names = {}, {}, {}
  for i = 1, #hashes do
    places[i] = i
    if not seqs[i] then
      local n = #names + 1
      flying[n], names[n] = i, hashes[i]
    end
  end
  local numbers, digits = scores(FLIGHT, names)
  for n = 1, #flying do seqs[flying[n]], texts[flying[n]] = numbers[n], digits[n] end
  for i = 2, #places do
    if seqs[i] < seqs[i - 1] then
      table.sort(places, function(a, b) return seqs[a] < seqs[b] end)
      break
    end
  end
  return places
end
