-- Subtracts requests from the counters and the day that they were charged to; never below zero, and nothing once these
-- have expired.
-- ARGV: user, counter, day, how many requests, and the counter of tokens, '' for none.

local user, counter, day, n, tokens = unpack(ARGV, 3)
for _, from in ipairs({ counter, tokens ~= '' and tokens or nil }) do
  local used = math.min(tonumber(n), used_of(user, from))
  if used > 0 then redis.call('DECRBY', usage_name(user, from), used) end
end

local name, field = days_name(user), day
if redis.call('HGET', account_name(user), 'day') == day then name, field = account_name(user), 'requests' end
local counted = math.min(tonumber(n), tonumber(redis.call('HGET', name, field) or '0'))
if counted > 0 then redis.call('HINCRBY', name, field, -counted) end
return { 'done' }
