-- Subtracts requests from the counter and the day that they were charged to; never below zero, and nothing once these
-- have expired.
-- ARGV: user, counter, day, how many requests.

local user, counter, day, n = unpack(ARGV, 3)
local used = math.min(tonumber(n), used_of(user, counter))
if used > 0 then redis.call('DECRBY', usage_name(user, counter), used) end

local name, field = days_name(user), day
if redis.call('HGET', account_name(user), 'day') == day then name, field = account_name(user), 'requests' end
local counted = math.min(tonumber(n), tonumber(redis.call('HGET', name, field) or '0'))
if counted > 0 then redis.call('HINCRBY', name, field, -counted) end
return { 'done' }
