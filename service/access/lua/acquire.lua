-- Takes or renews a user's lease, unless somebody else has it. ARGV: user, id of the holder, microseconds that it lasts.
-- Returns how many microseconds somebody else has it.

local name, now, length = lease_name(ARGV[3]), clock(), tonumber(ARGV[5])
local holder, till = unpack(redis.call('HMGET', name, 'id', 'till'))
-- One that lasts longer than any lease was taken before the clock was put back.
if holder and holder ~= ARGV[4] and tonumber(till) > now and tonumber(till) <= now + length then
  return { 'held', tonumber(till) - now }
end

redis.call('HSET', name, 'id', ARGV[4], 'till', digits(now + length))
redis.call('PEXPIRE', name, length / 1000)
return { 'done' }
