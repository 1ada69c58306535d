-- Puts a new key in the place of a user's active one.
-- ARGV: user, the new key's hash, its first characters.

local user, hash, prefix = unpack(ARGV, 3)
local account = account_name(user)
if redis.call('EXISTS', account) == 0 then return { 'none' } end
local old = redis.call('HGET', account, 'hash')
if not old then return { 'revoked' } end

redis.call('DEL', key_name(old))
redis.call('SET', key_name(hash), user)
redis.call('HSET', account, 'hash', hash, 'prefix', prefix, 'created', digits(clock()))
return { 'done' }
