-- Counts requests of a user who was admitted, all of them or, if the quota has less, none. The burst stays as it is.
-- ARGV: user; how many requests.
-- Returns the same as admit.lua.

local user, n = ARGV[3], tonumber(ARGV[4])
local account = account_name(user)
local tier, level, at, day, requests = unpack(redis.call('HMGET', account, 'tier', 'level', 'at', 'day', 'requests'))
if not tier then return { 'none' } end
local quota = limits_of(tier)
if not quota then return no_limits() end

local now = clock()
local counter = counter_of(tier, now)
local used = used_of(user, counter)
level, at = tonumber(level or '0'), tonumber(at or '0')
if used + n > quota then return { 'quota', user, tier, used, now, level, at } end

day, requests = count(user, counter, used, n, now, day, requests)
redis.call('HSET', account, 'day', day, 'requests', requests)
return { 'admitted', user, tier, used + n, now, level, at }
