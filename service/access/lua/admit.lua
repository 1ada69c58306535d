-- Looks a key up and counts a request, if quota and burst allow it. A request that is refused changes nothing.
-- ARGV: the key's hash; how many requests of the quota it takes, 0 or more; then tier, quota and burst of every tier.
-- Returns verdict, user, tier, requests used, the time, and the bucket; of an unknown key, whether there are accounts.

local user = redis.call('GET', key_name(ARGV[3]))
if not user then return { 'unknown', redis.call('EXISTS', accounts_name) } end

local account = account_name(user)
local tier, level, at, day, requests = unpack(redis.call('HMGET', account, 'tier', 'level', 'at', 'day', 'requests'))
local quota, burst = limits_of(tier, 5)
if not quota then return no_limits() end

local now = clock()
local counter = counter_of(tier, now)
local used, n = used_of(user, counter), tonumber(ARGV[4])
level, at = tonumber(level or '0'), tonumber(at or '0')
if used + math.max(n, 1) > quota then return { 'quota', user, tier, used, now, level, at } end

-- The same as bucket.go, where it is explained.
local cost = 1000000
local full = burst * cost
local elapsed = now - at
if elapsed > cost or elapsed < -cost then elapsed = cost elseif elapsed < 0 then elapsed = 0 end
local after = math.max(math.min(level, full) - elapsed * burst, 0) + cost
if after > full then return { 'burst', user, tier, used, now, level, at } end

if n > 0 then
  day, requests = count(user, counter, used, n, now, day, requests)
  redis.call('HSET', account, 'level', digits(after), 'at', digits(now), 'day', day, 'requests', requests)
else
  redis.call('HSET', account, 'level', digits(after), 'at', digits(now))
end
return { 'admitted', user, tier, used + n, now, after, now }
