-- Reads accounts in the order of their users. ARGV: the first and the last user as ZRANGEBYLEX wants them, and how many
-- at most. Answers user, tier, prefix, whether the key is active, name, creation time and requests used, of each.

local now = clock()
local answer = {}
for _, user in ipairs(redis.call('ZRANGEBYLEX', accounts_name, ARGV[3], ARGV[4], 'LIMIT', 0, ARGV[5])) do
  local tier, prefix, name, created, hash =
    unpack(redis.call('HMGET', account_name(user), 'tier', 'prefix', 'name', 'created', 'hash'))
  local used = used_of(user, counter_of(tier, now))
  answer[#answer + 1] = { user, tier, prefix, hash and 1 or 0, name, tonumber(created), used }
end
return answer
