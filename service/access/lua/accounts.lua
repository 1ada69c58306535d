-- Reads accounts in the order of their users. ARGV: the first and the last user as ZRANGEBYLEX takes them, and how many
-- at most. Returns user, tier, prefix, the hash of the active key or '', name, creation time, requests used and older keys, of each.

local now = clock()
local rows = {}
for _, user in ipairs(redis.call('ZRANGEBYLEX', accounts_name, ARGV[3], ARGV[4], 'LIMIT', 0, ARGV[5])) do
  local tier, prefix, name, created, hash =
    unpack(redis.call('HMGET', account_name(user), 'tier', 'prefix', 'name', 'created', 'hash'))
  local used = used_of(user, counter_of(tier, now))
  local older = {}
  for _, old in ipairs(hash and redis.call('HKEYS', older_name(user)) or {}) do
    local ends, made, last, start = older_key(redis.call('HGET', older_name(user), old))
    if ends > now then older[#older + 1] = { start, made, ends, last } end
  end
  rows[#rows + 1] = { user, tier, prefix, hash or '', name, tonumber(created), used, older }
end
return rows
