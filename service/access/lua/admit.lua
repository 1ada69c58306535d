-- Looks a key up and counts a request, if quota and burst allow it; with a token also if the tokens' share of the day and the burst
-- of its visitor do. A request that is refused changes nothing.
-- ARGV: the key's hash; how many requests of the quota it takes, 0 or more; the visitor of a token and the visitor's burst, '' and 0
-- without one; then tier, quota, burst and tokens of every tier.
-- Returns verdict, user, tier, requests used, the time, and the bucket, with a token also the requests of tokens and the visitor's
-- bucket; of an unknown key, whether there are accounts.

local user = redis.call('GET', key_name(ARGV[3]))
if not user then return { 'unknown', redis.call('EXISTS', accounts_name) } end

local account, visitor = account_name(user), ARGV[5]
local tier, level, at, day, requests = unpack(redis.call('HMGET', account, 'tier', 'level', 'at', 'day', 'requests'))
local quota, burst, share = limits_of(tier, 7)
if not quota then return no_limits() end
if visitor ~= '' and tier == 'free' then return { 'unknown', 1 } end

local now = clock()
local counter = counter_of(tier, now)
local used, n = used_of(user, counter), tonumber(ARGV[4])
level, at = tonumber(level or '0'), tonumber(at or '0')

local tokens, came, visits, visits_at, visits_after
if visitor ~= '' then
  tokens = counter .. ':tokens'
  came = used_of(user, tokens)
  visits, visits_at = string.match(redis.call('GET', visit_name(user, visitor)) or '0 0', '(%d+) (%d+)')
  visits, visits_at = tonumber(visits), tonumber(visits_at)
  visits_after = take(visits, visits_at, tonumber(ARGV[6]), now)
end
local function refused(verdict) return { verdict, user, tier, used, now, level, at, came, visits, visits_at } end

if used + math.max(n, 1) > quota then return refused('quota') end
if visits and came + math.max(n, 1) > share then return refused('tokens') end
if visits and not visits_after then return refused('visitor') end
local after = take(level, at, burst, now)
if not after then return refused('burst') end

if n > 0 then
  day, requests = count(user, counter, used, n, now, day, requests)
  redis.call('HSET', account, 'level', digits(after), 'at', digits(now), 'day', day, 'requests', requests)
else
  redis.call('HSET', account, 'level', digits(after), 'at', digits(now))
end
if visits then
  redis.call('SET', visit_name(user, visitor), digits(visits_after) .. ' ' .. digits(now), 'EX', 60)
  redis.call('INCRBY', usage_name(user, tokens), n)
  if came == 0 then redis.call('EXPIRE', usage_name(user, tokens), 172800) end
end
return { 'admitted', user, tier, used + n, now, after, now, visits and came + n, visits_after, now }
