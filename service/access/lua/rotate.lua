-- Puts a new key in the place of a user's active one, which ends at once or stays good for a while, as all before it.
-- ARGV: user, the new key's hash, its first characters, microseconds for which the older keys stay good; 0: they end.

local user, hash, prefix, overlap = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local account, now = account_name(user), clock()
if redis.call('EXISTS', account) == 0 then return { 'none' } end
local old, created, shown = unpack(redis.call('HMGET', account, 'hash', 'created', 'prefix'))
if not old then return { 'revoked' } end

if overlap > 0 then
  end_older(user, now)
  set_older(user, old, now + overlap, tonumber(created), 0, shown)
  -- What no script deletes goes by itself.
  redis.call('PEXPIRE', key_name(old), digits(overlap / 1000))
  redis.call('EXPIRE', older_name(user), 30 * 86400) -- the longest overlap
else
  end_older(user, math.huge)
  redis.call('DEL', key_name(old))
end
redis.call('SET', key_name(hash), user)
redis.call('HSET', account, 'hash', hash, 'prefix', prefix, 'created', digits(now))
return { 'done' }
