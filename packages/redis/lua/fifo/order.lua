-- Purpose: puts changes in the order of events and log, by seq.
-- Rules: E1, L8

-- Fills in the seqs of what was in flight, of which `texts` has the scores; answers the changes' places by seq. What a change is
-- lies in a list for each of its fields: a table for each change would cost as much as its event.
-- Where all that is in flight is among the last million received, the digits of a score tell which it is; else the server is asked.
local function order(hashes, seqs, texts)
  local places, asked, names = {}, {}, {}
  local oldest = call('ZRANGEBYSCORE', FLIGHT, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local near = oldest and seq - oldest < P
  for i = 1, #hashes do
    places[i] = i
    if near and not seqs[i] then
      seqs[i] = seq - (seq - texts[i]) % P
    elseif not seqs[i] then
      local n = #names + 1
      asked[n], names[n] = i, hashes[i]
    end
  end
  local numbers = scores(FLIGHT, names)
  for n = 1, #asked do seqs[asked[n]] = numbers[n] end
  for i = 2, #places do
    if seqs[i] < seqs[i - 1] then
      table.sort(places, function(a, b) return seqs[a] < seqs[b] end)
      break
    end
  end
  return places
end
