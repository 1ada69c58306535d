package access

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// maxBurst bounds a burst. The scripts of Redis count in doubles, which hold integers up to 2^53; a thousand million,
// times the million of cost, stays below.
const maxBurst = 1_000_000_000

// Validate reports the first limit that is missing or out of range: a quota is 0 or more (0 admits nothing), a burst
// is 1 to 1,000,000,000.
func (l Limits) Validate() error {
	for _, tier := range Tiers {
		limit, ok := l[tier]
		switch {
		case !ok:
			return fmt.Errorf("tier %s has no limits", tier)
		case limit.Quota < 0:
			return fmt.Errorf("quota of tier %s must be 0 or more, not %d", tier, limit.Quota)
		case limit.Burst < 1 || limit.Burst > maxBurst:
			return fmt.Errorf("burst of tier %s must be 1 to %d, not %d", tier, int64(maxBurst), limit.Burst)
		}
	}
	for tier := range l {
		if err := validTier(tier); err != nil {
			return err
		}
	}
	return nil
}

// validTier reports a tier that does not exist.
func validTier(tier Tier) error {
	if !slices.Contains(Tiers, tier) {
		return invalid("tier must be one of %v, not %q", Tiers, tier)
	}
	return nil
}

// left returns the quota of a tier, and how much of it remains. Used may be more than the quota, after a change of tier.
func (l Limits) left(tier Tier, used int64) (quota, remaining int64) {
	quota = l[tier].Quota
	return quota, max(0, quota-used)
}

// admission fills in what follows from the limits and the clock.
func (l Limits) admission(verdict Verdict, user string, tier Tier, used int64, now time.Time) Admission {
	a := Admission{Verdict: verdict, User: user, Tier: tier, Reset: midnight(now), Now: now}
	a.Limit, a.Remaining = l.left(tier, used)
	if verdict == Admitted {
		a.counter = counterOf(tier, now)
	}
	return a
}

// exhausted is the verdict on a caller of a tier whose quota is used up.
func exhausted(tier Tier) Verdict {
	if tier == Free {
		return LifetimeExceeded
	}
	return DailyExceeded
}

const day = 24 * time.Hour

// counterOf names the counter of an account that a request at the time now is charged to: "lifetime" for the free tier,
// for all others the counter of the UTC day.
func counterOf(tier Tier, now time.Time) string {
	if tier == Free {
		return "lifetime"
	}
	return dayCounter(now)
}

// dayCounter names the counter of the UTC day of now.
func dayCounter(now time.Time) string { return strconv.FormatInt(dayNumber(now), 10) }

// dayNumber is the UTC day of now, in days since 1970-01-01. Unix time has 86,400 seconds on each of them.
func dayNumber(now time.Time) int64 { return now.Unix() / int64(day/time.Second) }

// midnight is the first midnight UTC after now.
func midnight(now time.Time) time.Time { return now.UTC().Truncate(day).Add(day) }
