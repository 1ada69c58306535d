-- Reads what a user has used. ARGV: user, how many days.
-- Returns tier, requests used, the time, the bucket, and the requests of each day, the last of which is today.

local user = ARGV[3]
local tier, level, at, last, requests = unpack(redis.call('HMGET', account_name(user), 'tier', 'level', 'at', 'day', 'requests'))
if not tier then return { 'none' } end

local now = clock()
local reply = { 'done', tier, used_of(user, counter_of(tier, now)), now, tonumber(level or '0'), tonumber(at or '0') }
local days = {}
for day = day_of(now) - ARGV[4] + 1, day_of(now) do days[#days + 1] = digits(day) end
for i, kept in ipairs(redis.call('HMGET', days_name(user), unpack(days))) do
  if days[i] == last then kept = requests end
  reply[#reply + 1] = tonumber(kept or '0')
end
return reply
