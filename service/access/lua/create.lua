-- Gives a user a key, and an account if there was none. What was used stays.
-- ARGV: user, tier, name, the key's hash, its first characters.

local user, tier, name, hash, prefix = unpack(ARGV, 3)
local account = account_name(user)
if redis.call('HEXISTS', account, 'hash') == 1 then return { 'active' } end

end_older(user, math.huge) -- there are some only where Redis lost the account
redis.call('HSET', account, 'tier', tier, 'name', name, 'hash', hash, 'prefix', prefix, 'created', digits(clock()))
redis.call('SET', key_name(hash), user)
redis.call('ZADD', accounts_name, 0, user)
return { 'done' }
