-- Ends a user's keys. The account and what it used stay.
-- ARGV: user.

local account = account_name(ARGV[3])
if redis.call('EXISTS', account) == 0 then return { 'none' } end
local hash = redis.call('HGET', account, 'hash')
if not hash then return { 'revoked' } end

end_older(ARGV[3], math.huge)
redis.call('DEL', key_name(hash))
redis.call('HDEL', account, 'hash')
return { 'done' }
