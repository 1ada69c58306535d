-- Moves a user to another tier. ARGV: user, tier.

local account = account_name(ARGV[3])
if redis.call('EXISTS', account) == 0 then return { 'none' } end

redis.call('HSET', account, 'tier', ARGV[4])
return { 'done' }
