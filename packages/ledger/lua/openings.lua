-- Purpose: what trimmed records add up to, for wallets in the order of their creation. One call looks at some hundred at most.
-- KEYS: keys.lua   ARGV: 1 after which wallet, or '', 2 at most how many
-- Returns: { the wallet to go on after, '' at the end, then for each: id, packed }
local limit = tonumber(ARGV[2])
local static = ARGV[1] ~= '' and call('HGET', WALLETS, ARGV[1])
local from, to = bounds(everyWallet, static and readStatic(static).createdSeq or 0)
local names = call('ZRANGEBYLEX', INDEX, from, to, 'LIMIT', 0, limit)
local reply = { '' }
for _, name in ipairs(names) do
  local id = sub(name, #everyWallet + 17)
  local opening = call('HGET', OPENINGS, id)
  if opening then
    reply[#reply + 1] = id
    reply[#reply + 1] = opening
  end
  if #names == limit then reply[1] = id end
end
return reply
