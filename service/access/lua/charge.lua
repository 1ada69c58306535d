-- Counts requests of a user who was admitted, all of them or, if the quota has less, or with a token the tokens' share of the day, none.
-- The bursts stay as they are.
-- ARGV: user; how many requests; with a token anything.
-- Returns the same as admit.lua, but nothing of the visitor.

local user, n, token = ARGV[3], tonumber(ARGV[4]), ARGV[5]
local account = account_name(user)
local tier, level, at, day, requests = unpack(redis.call('HMGET', account, 'tier', 'level', 'at', 'day', 'requests'))
if not tier then return { 'none' } end
local quota, _, share = limits_of(tier)
if not quota then return no_limits() end

local now = clock()
local counter = counter_of(tier, now)
local used, came = used_of(user, counter), nil
if token then came = used_of(user, tokens_of(now)) end
level, at = tonumber(level or '0'), tonumber(at or '0')
local refused
if used + n > quota then refused = 'quota'
elseif came and came + n > share then refused = 'tokens' end
if refused then return { refused, user, tier, used, now, level, at, came, 0, 0 } end

day, requests = count(user, counter, used, n, now, day, requests)
redis.call('HSET', account, 'day', day, 'requests', requests)
if came then count_tokens(user, came, n, now) end
return { 'admitted', user, tier, used + n, now, level, at, came and came + n, 0, 0 }
