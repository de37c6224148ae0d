-- Purpose: sorts changes by seq, which is the order of events and log.
-- Rules: E1, L8

-- Fills in the missing seqs of transactions in flight, whose scores are in `texts`. Returns the positions of the changes, in order of
-- seq. Each field of the changes has a list of its own: a table for each change would cost as much as its event.
-- If all transactions in flight are among the last million received, the digits of a score give the seq; else the server is asked.
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
