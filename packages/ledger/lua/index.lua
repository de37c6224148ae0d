-- Purpose: the names in `index`. A list's members are: the list's name, 16 digits of the seq that created the wallet, the wallet's id.
-- No byte of a name is below the line break, or is 255.
local everyWallet = 'a\n'

local function byOwner(owner)
  return 'o' .. owner .. '\n'
end

local function byTag(tag)
  return 't' .. tag .. '\n'
end

local function member(list, createdSeq, id)
  return list .. format('%016d', createdSeq) .. id
end

-- The bounds of a list after a seq.
local function bounds(list, after)
  return '(' .. list .. format('%016d', after) .. '\255', '(' .. list .. '\255'
end
