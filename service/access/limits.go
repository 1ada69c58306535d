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
		case limit.Tokens < 0 || limit.Tokens > limit.Quota:
			return fmt.Errorf("tokens of tier %s must be 0 to its quota, not %d", tier, limit.Tokens)
		case limit.TokenBurst < 0 || limit.TokenBurst > limit.Burst:
			return fmt.Errorf("burst of tokens of tier %s must be 0 to its burst, not %d", tier, limit.TokenBurst)
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

// left returns the quota of a tier, and how much of it remains. Used may be more than the quota,
// after a change of tier.
func (l Limits) left(tier Tier, used int64) (quota, remaining int64) {
	quota = l[tier].Quota
	return quota, max(0, quota-used)
}

// burst returns how many requests of the burst are allowed at once: with a key, or with a token.
func (l Limit) burst(token bool) int64 {
	if token && l.TokenBurst > 0 {
		return l.TokenBurst
	}
	return l.Burst
}

// state is the use of an account, and, where a token is used, that of its tokens and its visitor.
type state struct {
	user    string
	tier    Tier
	used    int64 // of the counter of the tier
	bucket  bucket
	tokens  int64 // of used
	visitor bucket
	now     time.Time
}

// admission fills in the values that follow from the limits and the clock.
func (l Limits) admission(verdict Verdict, s state, c Credential) Admission {
	tier, now := s.tier, s.now
	a := Admission{Verdict: verdict, User: s.user, Tier: tier, Reset: midnight(now), Now: now,
		Burst: s.bucket.window("burst", l[tier].Burst, now)}
	a.Limit, a.Remaining = l.left(tier, s.used)
	if c.isToken() {
		share := l[tier].Tokens
		a.Tokens = Window{Name: "tokens", Limit: share, Used: s.tokens, Remaining: max(0, share-s.tokens),
			Resets: a.Reset}
		a.Visitor = s.visitor.window("visitor", c.Burst, now)
		a.Burst.Limit = l[tier].burst(true)
		a.Burst.Used = min(a.Burst.Used, a.Burst.Limit)
		a.Burst.Remaining = a.Burst.Limit - a.Burst.Used
	}
	if verdict == Admitted {
		a.counter = counterOf(tier, now)
	}
	return a
}

// tokensCounter names the counter of tokens that a was charged to, "" for none.
func (a Admission) tokensCounter() string {
	if a.Tokens.Name == "" {
		return ""
	}
	return tokensCounter(a.Now)
}

// isToken reports whether c is a token, not a key.
func (c Credential) isToken() bool { return c.Visitor != "" }

// credential is that of a, as far as a charge needs it.
func (a Admission) credential() Credential {
	return Credential{Visitor: a.Tokens.Name, Burst: a.Visitor.Limit}
}

// charged is a where n requests were counted: of none there is nothing to refund.
func (a Admission) charged(n int64) Admission {
	if n <= 0 {
		a.counter = ""
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

const (
	day      = 24 * time.Hour
	lifetime = "lifetime"
)

// counterOf names the counter of an account that a request at the time now is charged to: "lifetime" for the free tier,
// for all others the counter of the UTC day.
func counterOf(tier Tier, now time.Time) string {
	if tier == Free {
		return lifetime
	}
	return dayCounter(now)
}

// dayCounter names the counter of the UTC day of now.
func dayCounter(now time.Time) string { return strconv.FormatInt(dayNumber(now), 10) }

// dayNumber is the UTC day of now, in days since 1970-01-01. Unix time has 86,400 seconds on each of them.
func dayNumber(now time.Time) int64 { return now.Unix() / int64(day/time.Second) }

// midnight is the first midnight UTC after now.
func midnight(now time.Time) time.Time { return now.UTC().Truncate(day).Add(day) }

// Window is one of the limits of an account, and how much of it was used.
type Window struct {
	Name      string // "day", "lifetime", "burst", "tokens" or "visitor"
	Limit     int64  // requests
	Used      int64  // may be more than Limit, after a change of tier
	Remaining int64
	Resets    time.Time // when all of it is there again; zero: never
}

// Usage has the requests that an account has used, at one moment.
type Usage struct {
	Tier    Tier
	Windows []Window // the quota, then the burst
	Days    []Day    // the last UsageDays, the oldest first, the last one is today
}

// Day is the requests that count of one UTC day, in any tier. Refunded ones are left out.
type Day struct {
	Date     time.Time // its midnight
	Requests int64
}

// UsageDays is how many days Usage has. The stores keep one more, for refunds and clocks that go back a little.
const UsageDays = 30

// Leases last LeaseTime after the last AcquireLease. A holder that renews every LeaseRenewal loses
// none to one call that fails.
const (
	LeaseTime    = 60 * time.Second
	LeaseRenewal = 20 * time.Second
)

// tokensCounter names the counter of requests with tokens on the UTC day of now.
func tokensCounter(now time.Time) string { return dayCounter(now) + ":tokens" }

// QuotaName is the name of the window of a tier's quota.
func (t Tier) QuotaName() string {
	if t == Free {
		return lifetime
	}
	return "day"
}

// window is the window of a bucket of a burst.
func (b bucket) window(name string, limit int64, now time.Time) Window {
	level := b.drained(limit, now.UnixMicro())
	w := Window{Name: name, Limit: limit, Remaining: (limit*cost - level) / cost}
	w.Used = limit - w.Remaining
	w.Resets = now.Add(time.Duration((level+limit-1)/limit) * time.Microsecond)
	return w
}

// usage fills in the values that follow from the limits and the clock. Requests are those of the
// last days, up to that of now.
func (l Limits) usage(tier Tier, used int64, b bucket, requests []int64, now time.Time) Usage {
	quota := Window{Name: tier.QuotaName(), Used: used}
	quota.Limit, quota.Remaining = l.left(tier, used)
	if tier != Free {
		quota.Resets = midnight(now)
	}
	u := Usage{Tier: tier, Windows: []Window{quota, b.window("burst", l[tier].Burst, now)}}
	for i, n := range requests {
		u.Days = append(u.Days, Day{midnight(now).AddDate(0, 0, i-len(requests)), n})
	}
	return u
}
