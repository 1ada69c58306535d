-- What every script begins with: the names, the clock, the limits, the counters. ARGV[1] is the prefix of all names, ARGV[2]
-- the time in microseconds since 1970, or '' for Redis's own.

local function key_name(hash) return ARGV[1] .. 'key:' .. hash end
local function account_name(user) return ARGV[1] .. 'account:' .. user end
local function usage_name(user, counter) return ARGV[1] .. 'usage:' .. user .. ':' .. counter end
local function days_name(user) return ARGV[1] .. 'days:' .. user end
local function older_name(user) return ARGV[1] .. 'older:' .. user end
local function lease_name(user) return ARGV[1] .. 'lease:' .. user end
local accounts_name = ARGV[1] .. 'accounts'

local function clock()
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- A number in all its digits: tostring keeps only 14 of them.
local function digits(number) return string.format('%.0f', number) end

-- Quota, burst, tokens and their burst of a tier, from the table of all that stands before this text.
local function limits_of(tier) return unpack(tiers[tier] or {}) end

local function no_limits() return redis.error_reply('TIER the tier of this account has no limits') end

-- The UTC day, in days since 1970-01-01. fmod is exact; the quotient of two such numbers would not be.
local function day_of(now) return (now - math.fmod(now, 86400000000)) / 86400000000 end

-- The counter that a tier is charged to.
local function counter_of(tier, now)
  if tier == 'free' then return 'lifetime' end
  return digits(day_of(now))
end

local function used_of(user, counter)
  return tonumber(redis.call('GET', usage_name(user, counter)) or '0')
end

-- The counter of what came with tokens.
local function tokens_of(now) return digits(day_of(now)) .. ':tokens' end

-- Counts n requests that came with tokens, of which there were so many.
local function count_tokens(user, came, n, now)
  local name = usage_name(user, tokens_of(now))
  redis.call('INCRBY', name, n)
  if came == 0 then redis.call('EXPIRE', name, 172800) end
end

-- What is kept of an older key: when it ends, was made and was last used (0: not since it was replaced), and its first characters.
local function older_key(text)
  local ends, created, used, prefix = string.match(text or '', '^(%d+) (%d+) (%d+) (.*)$')
  return tonumber(ends or '0'), tonumber(created), tonumber(used), prefix
end

local function set_older(user, hash, ends, created, used, prefix)
  redis.call('HSET', older_name(user), hash, table.concat({ digits(ends), digits(created), digits(used), prefix }, ' '))
end

-- Ends the older keys of a user that end by the time given.
local function end_older(user, by)
  for _, hash in ipairs(redis.call('HKEYS', older_name(user))) do
    if older_key(redis.call('HGET', older_name(user), hash)) <= by then
      redis.call('DEL', key_name(hash))
      redis.call('HDEL', older_name(user), hash)
    end
  end
end

-- Counts n requests in the counter, which says used. Returns the day and its requests, for the caller to keep in the account,
-- which has day and requests now. The account's day becomes one of the others as soon as there is another one.
local function count(user, counter, used, n, now, day, requests)
  local usage, today = usage_name(user, counter), counter
  if counter == 'lifetime' then today = digits(day_of(now)) end
  redis.call('INCRBY', usage, n)
  -- A day's counter outlives its day, for refunds, and then goes by itself.
  if used == 0 and counter ~= 'lifetime' then redis.call('EXPIRE', usage, 172800) end

  if day ~= today then
    local days = days_name(user)
    if day then
      redis.call('HSET', days, day, requests)
      redis.call('EXPIRE', days, 31 * 86400) -- of an account that is not used any more
    end
    requests = redis.call('HGET', days, today) -- there is none, unless the clock was put back
    for _, old in ipairs(redis.call('HKEYS', days)) do
      if tonumber(old) <= day_of(now) - 31 then redis.call('HDEL', days, old) end
    end
  end
  return today, tonumber(requests or '0') + n
end
