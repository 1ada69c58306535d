-- Looks a key up and counts one request, if quota and burst allow it. A request that is refused changes nothing.
-- ARGV: the key's hash, then tier, quota and burst of every tier.
-- Returns verdict, user, tier, requests used, and the time; of an unknown key, whether there are accounts.

local user = redis.call('GET', key_name(ARGV[3]))
if not user then return { 'unknown', redis.call('EXISTS', accounts_name) } end

local account = account_name(user)
local tier, level, at = unpack(redis.call('HMGET', account, 'tier', 'level', 'at'))
local quota, burst
for i = 4, #ARGV, 3 do
  if ARGV[i] == tier then quota, burst = tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]) end
end
if not quota then return redis.error_reply('TIER the tier of this account has no limits') end

local now = clock()
local counter = counter_of(tier, now)
local used = used_of(user, counter)
if used >= quota then return { 'quota', user, tier, used, now } end

-- The same as bucket.go, where it is explained.
local cost = 1000000
local full = burst * cost
local elapsed = now - tonumber(at or '0')
if elapsed > cost or elapsed < -cost then elapsed = cost elseif elapsed < 0 then elapsed = 0 end
level = math.max(math.min(tonumber(level or '0'), full) - elapsed * burst, 0) + cost
if level > full then return { 'burst', user, tier, used, now } end

redis.call('HSET', account, 'level', digits(level), 'at', digits(now))
local usage = usage_name(user, counter)
redis.call('INCR', usage)
-- A day's counter outlives its day, for refunds, and then goes by itself.
if used == 0 and counter ~= 'lifetime' then redis.call('EXPIRE', usage, 172800) end
return { 'admitted', user, tier, used + 1, now }
