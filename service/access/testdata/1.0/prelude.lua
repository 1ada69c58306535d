-- What every script begins with: the names, the clock, the counters. ARGV[1] is the prefix of all names, ARGV[2] the
-- time in microseconds since 1970, or '' for Redis's own.

local function key_name(hash) return ARGV[1] .. 'key:' .. hash end
local function account_name(user) return ARGV[1] .. 'account:' .. user end
local function usage_name(user, counter) return ARGV[1] .. 'usage:' .. user .. ':' .. counter end
local accounts_name = ARGV[1] .. 'accounts'

local function clock()
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- A number in all its digits: tostring keeps only 14 of them.
local function digits(number) return string.format('%.0f', number) end

-- The counter that a tier is charged to. fmod is exact; the quotient of two such numbers would not be.
local function counter_of(tier, now)
  if tier == 'free' then return 'lifetime' end
  local day = 86400000000
  return digits((now - math.fmod(now, day)) / day)
end

local function used_of(user, counter)
  return tonumber(redis.call('GET', usage_name(user, counter)) or '0')
end
