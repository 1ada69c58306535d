package access

import (
	"strconv"
	"time"
)

const day = 24 * time.Hour

// lifetime is the name of the free tier's counter. All other tiers count in the counter of the day, whose name is its
// number since 1970-01-01.
const lifetime = "lifetime"

// counter names the counter of an account that a request at the time now is charged to.
func counter(tier Tier, now time.Time) string {
	if tier == Free {
		return lifetime
	}
	return dayCounter(now)
}

// dayCounter names the counter of the UTC day of now.
func dayCounter(now time.Time) string {
	return strconv.FormatInt(dayNumber(now), 10)
}

// dayNumber is the UTC day of now, in days since 1970-01-01. Unix time has 86,400 seconds on each of them.
func dayNumber(now time.Time) int64 {
	return now.Unix() / int64(day/time.Second)
}

// midnight is the first midnight UTC after now.
func midnight(now time.Time) time.Time {
	return now.UTC().Truncate(day).Add(day)
}
