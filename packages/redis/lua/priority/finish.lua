-- Purpose: the last step of a call that is decided here, not on a mirror: records its reply under its id, as core encodes outcomes.
-- ARGV: 1 id, 2 verb, the last one: the digest of the arguments, '' without an operation id
-- Rules: X2
local function finish(reply)
  if call('HLEN', OPS) >= 10000 then
    call('UNLINK', OPS_OLD)
    call('RENAME', OPS, OPS_OLD)
  end
  local function text(words)
    return string.char(96 + #words) .. words
  end
  local outcome = string.char(160 + #reply) .. text('kind') .. text(reply[1])
  for i, name in ipairs({ 'version', 'at' }) do
    if reply[i + 1] then outcome = outcome .. text(name) .. struct.pack('>BI8', 27, reply[i + 1]) end
  end
  local digest = ARGV[#ARGV]
  local opened = digest == '' and string.char(130) or string.char(131, 64 + #digest) .. digest
  call('HSET', OPS, ARGV[1], '- ' .. opened .. text(ARGV[2]) .. outcome)
  return reply
end
