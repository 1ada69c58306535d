package access

// cost is the level that one request adds to a bucket: a bucket of burst 1 loses that much in a
// second, 1 per microsecond.
const cost = 1_000_000

// bucket limits bursts: GCRA in its form of a leaky bucket. A request adds cost, every microsecond
// takes burst away, and a full bucket holds burst requests. So a caller can spend burst requests at
// once, and then one more every 1/burst of a second. Counting in cost, and not in time per request,
// needs no division: it is exact for every burst.
//
// The zero bucket is empty. admit.lua does the same in Redis.
type bucket struct {
	level  int64 // 0 to burst*cost, at that moment
	moment int64 // microseconds since 1970
}

// take adds a request at the time now, or reports that it does not fit into so many of the burst;
// then the bucket is unchanged.
func (b bucket) take(burst, most, now int64) (bucket, bool) {
	level := b.drained(burst, now) + cost
	if level > most*cost {
		return b, false
	}
	return bucket{level: level, moment: now}, true
}

// drained is the level at the time now. It is cut to the burst: a change of tier may leave more.
func (b bucket) drained(burst, now int64) int64 {
	return max(min(b.level, burst*cost)-b.elapsed(now)*burst, 0)
}

// elapsed is the time since at, 0 to one second, which empties any bucket. A clock that is a little
// late drains nothing; one that was put back further empties the bucket, or a full one would stay
// full until the clock has caught up.
func (b bucket) elapsed(now int64) int64 {
	elapsed := now - b.moment
	switch {
	case elapsed > cost, elapsed < -cost:
		return cost
	case elapsed < 0:
		return 0
	}
	return elapsed
}
