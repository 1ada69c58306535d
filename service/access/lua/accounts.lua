-- Reads accounts in the order of their users. ARGV: the first and the last user as ZRANGEBYLEX takes them, and how many
-- at most. Returns user, tier, prefix, the hash of the active key or '', name, creation time and requests used, of each.

local now = clock()
local rows = {}
for _, user in ipairs(redis.call('ZRANGEBYLEX', accounts_name, ARGV[3], ARGV[4], 'LIMIT', 0, ARGV[5])) do
  local tier, prefix, name, created, hash =
    unpack(redis.call('HMGET', account_name(user), 'tier', 'prefix', 'name', 'created', 'hash'))
  local used = used_of(user, counter_of(tier, now))
  rows[#rows + 1] = { user, tier, prefix, hash or '', name, tonumber(created), used }
end
return rows
