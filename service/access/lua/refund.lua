-- Subtracts one request from the counter that it was charged to; never below zero, and nothing once it has expired.
-- ARGV: user, counter.

if used_of(ARGV[3], ARGV[4]) > 0 then redis.call('DECR', usage_name(ARGV[3], ARGV[4])) end
return { 'done' }
