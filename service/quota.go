package service

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/handlers"
)

// setQuotaHeaders sets what every response to a known caller carries (rule K7).
func (k *call) setQuotaHeaders() {
	k.http.Set(headerLimit, strconv.FormatInt(k.admission.Limit, 10))
	k.http.Set(headerRemaining, strconv.FormatInt(k.admission.Remaining, 10))
	k.http.Set(headerReset, strconv.FormatInt(k.admission.Reset.Unix(), 10))

	k.http.Set(headerPolicies, policies(k.admission))
	k.http.Set(headerLimits, remains(k.admission))
}

// untilReset is the seconds until the quota of the day begins anew, by the store's clock.
func untilReset(a access.Admission) int64 {
	return max(1, int64(math.Ceil(a.Reset.Sub(a.Now).Seconds())))
}

// policies are the limits of the caller's tier as draft-ietf-httpapi-ratelimit-headers-11 has them
// (rule X15): each with its quota, and its window in seconds if it has one.
func policies(a access.Admission) string {
	day := ";w=86400"
	if a.Tier == access.Free {
		day = ""
	}
	text := fmt.Sprintf(`"%s";q=%d%s, "%s";q=%d;w=1`,
		a.Tier.QuotaName(), integer(a.Limit), day, a.Burst.Name, integer(a.Burst.Limit))
	if a.Visitor.Name != "" {
		text += fmt.Sprintf(`, "%s";q=%d;w=86400, "%s";q=%d;w=1`,
			a.Tokens.Name, integer(a.Tokens.Limit), a.Visitor.Name, integer(a.Visitor.Limit))
	}
	return text
}

// remains is what remains of each limit, and in how many seconds there will be more, if ever. A
// burst is refilled within a second.
func remains(a access.Admission) string {
	day := fmt.Sprintf(";t=%d", untilReset(a))
	window := func(w access.Window) string {
		return fmt.Sprintf(`, "%s";r=%d;t=%d`, w.Name, integer(w.Remaining), min(w.Used, 1))
	}
	text := fmt.Sprintf(`"%s";r=%d`, a.Tier.QuotaName(), integer(a.Remaining))
	if a.Tier != access.Free {
		text += day
	}
	if text += window(a.Burst); a.Visitor.Name != "" {
		text += fmt.Sprintf(`, "%s";r=%d%s%s`, a.Tokens.Name, integer(a.Tokens.Remaining), day, window(a.Visitor))
	}
	return text
}

// integer is n as structured fields have it, whose largest one is less (RFC 9651).
func integer(n int64) int64 { return min(n, 999_999_999_999_999) }

// refuseQuota is the refusal of a request for which the quota has too little, with a message unless
// that is "": the one that nothing is left.
func (k *call) refuseQuota(message string) error {
	if k.admission.Verdict == access.LifetimeExceeded {
		return handlers.Refuse(errLifetime, message) // no time will help
	}
	k.http.Set(fiber.HeaderRetryAfter, strconv.FormatInt(untilReset(k.admission), 10))
	return handlers.Refuse(errDaily, message)
}
