-- Looks a key up and counts a request, if quota and burst allow it; with a token also if the tokens' share of the day and the burst
-- of its visitor do. A request that is refused changes nothing.
-- ARGV: the key's hash; how many requests of the quota it takes, -1 where it takes none and no quota refuses it; with a token the visitor, and the visitor's burst.
-- Returns verdict, user, tier, requests used, the time, and the bucket, with a token also the requests of tokens and the visitor's
-- bucket; of an unknown key, whether there are accounts.

-- The level of a bucket after a request at the time now, nil where it does not fit into so many of the burst. The same as bucket.go,
-- where it is explained.
local function take(level, at, burst, most, now)
  local cost = 1000000
  local elapsed = now - at
  if elapsed > cost or elapsed < -cost then elapsed = cost elseif elapsed < 0 then elapsed = 0 end
  local after = math.max(math.min(level, burst * cost) - elapsed * burst, 0) + cost
  if after <= most * cost then return after end
end

local user = redis.call('GET', key_name(ARGV[3]))
if not user then return { 'unknown', redis.call('EXISTS', accounts_name) } end

local account, visitor = account_name(user), ARGV[5]
local tier, level, at, day, requests, hash = unpack(redis.call('HMGET', account, 'tier', 'level', 'at', 'day', 'requests', 'hash'))
local quota, burst, share, token_burst = limits_of(tier)
if not quota then return no_limits() end

-- An older key is good until it ends. Where Redis lost the account and not its key (evicted, deleted by hand), a new one has another key,
-- and no command knows of this one.
local now, is_older, ends, created, _, prefix = clock(), hash ~= ARGV[3]
if is_older then
  ends, created, _, prefix = older_key(hash and redis.call('HGET', older_name(user), ARGV[3]))
  if ends <= now then return { 'unknown', 1 } end
end
if visitor and tier == 'free' then return { 'unknown', 1 } end

local counter = counter_of(tier, now)
local used, n = used_of(user, counter), tonumber(ARGV[4])
level, at = tonumber(level or '0'), tonumber(at or '0')

local name, came, visits, visits_at, visits_after
if visitor then
  name = ARGV[1] .. 'visit:' .. visitor .. ':' .. user
  came = used_of(user, tokens_of(now))
  visits, visits_at = string.match(redis.call('GET', name) or '0 0', '(%d+) (%d+)')
  visits, visits_at = tonumber(visits), tonumber(visits_at)
  visits_after = take(visits, visits_at, tonumber(ARGV[6]), tonumber(ARGV[6]), now)
end
local after, refused = take(level, at, burst, visitor and token_burst or burst, now)
if n >= 0 and used + math.max(n, 1) > quota then refused = 'quota'
elseif visits and came + math.max(n, 1) > share then refused = 'tokens'
elseif visits and not visits_after then refused = 'visitor'
elseif not after then refused = 'burst' end
if refused then return { refused, user, tier, used, now, level, at, came, visits, visits_at } end

if n > 0 then
  day, requests = count(user, counter, used, n, now, day, requests)
  redis.call('HSET', account, 'level', digits(after), 'at', digits(now), 'day', day, 'requests', requests)
else
  redis.call('HSET', account, 'level', digits(after), 'at', digits(now))
end
if is_older then set_older(user, ARGV[3], ends, created, now, prefix) end
if visits then
  redis.call('SET', name, digits(visits_after) .. ' ' .. digits(now), 'EX', 60)
  count_tokens(user, came, n, now)
end
return { 'admitted', user, tier, used + math.max(n, 0), now, after, now, visits and came + n, visits_after, now }
