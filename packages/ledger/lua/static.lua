-- Purpose: what transfers do not change of a wallet, as it is stored.
local function readStatic(text)
  local seq, at, owner, content, tags = string.match(text, '^(%d+)\n(%d+)\n([^\n]*)\n([^\n]*)\n([^\n]*)$')
  if not seq then fail('CORRUPT ' .. WALLETS) end
  return { createdSeq = tonumber(seq), createdAt = at, owner = owner, content = content, tags = tags }
end

local function staticText(static)
  return table.concat({ whole(static.createdSeq), static.createdAt, static.owner, static.content, static.tags }, '\n')
end
