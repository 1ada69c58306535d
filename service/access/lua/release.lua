-- Ends a user's lease, if this holder has it. ARGV: user, id of the holder.

if redis.call('HGET', lease_name(ARGV[3]), 'id') == ARGV[4] then redis.call('DEL', lease_name(ARGV[3])) end
return { 'done' }
