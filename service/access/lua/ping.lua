-- Counts as an admission does, in a counter of its own: what would keep Redis from counting requests fails here too.
-- Returns whether there are accounts.

redis.call('INCRBY', ARGV[1] .. 'ping', 1)
return { redis.call('EXISTS', accounts_name) }
