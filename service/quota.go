package service

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/handlers"
)

// setQuotaHeaders sets the headers of the quota of every response to a known caller (rule K7).
func (k *call) setQuotaHeaders() {
	k.http.Set(headerLimit, strconv.FormatInt(k.admission.Limit, 10))
	k.http.Set(headerRemaining, strconv.FormatInt(k.admission.Remaining, 10))
	k.http.Set(headerReset, strconv.FormatInt(k.admission.Reset.Unix(), 10))

	var room [128]byte
	header := &k.http.Response().Header
	header.SetBytesV(headerPolicies, appendPolicies(room[:0], k.admission))
	header.SetBytesV(headerLimits, appendLimits(room[:0], k.admission))
}

// untilReset is the seconds until the quota of the day begins anew, by the store's clock.
func untilReset(a access.Admission) int64 {
	return max(1, int64(math.Ceil(a.Reset.Sub(a.Now).Seconds())))
}

// appendPolicies appends the limits of the caller's tier as draft-ietf-httpapi-ratelimit-headers-11
// has them (rule X15): each with its quota, and its window in seconds if it has one.
func appendPolicies(dst []byte, a access.Admission) []byte {
	dst = appendItem(dst, a.Tier.QuotaName(), ";q=", a.Limit)
	if a.Tier != access.Free {
		dst = append(dst, ";w=86400"...)
	}
	dst = append(appendItem(append(dst, ", "...), a.Burst.Name, ";q=", a.Burst.Limit), ";w=1"...)
	if a.Visitor.Name == "" {
		return dst
	}
	dst = append(appendItem(append(dst, ", "...), a.Tokens.Name, ";q=", a.Tokens.Limit), ";w=86400"...)
	return append(appendItem(append(dst, ", "...), a.Visitor.Name, ";q=", a.Visitor.Limit), ";w=1"...)
}

// appendLimits appends the rest of each limit, and in how many seconds there will be more, if ever.
func appendLimits(dst []byte, a access.Admission) []byte {
	dst = appendItem(dst, a.Tier.QuotaName(), ";r=", a.Remaining)
	if a.Tier != access.Free {
		dst = strconv.AppendInt(append(dst, ";t="...), untilReset(a), 10)
	}
	dst = appendBurst(append(dst, ", "...), a.Burst)
	if a.Visitor.Name == "" {
		return dst
	}
	dst = appendItem(append(dst, ", "...), a.Tokens.Name, ";r=", a.Tokens.Remaining)
	dst = strconv.AppendInt(append(dst, ";t="...), untilReset(a), 10)
	return appendBurst(append(dst, ", "...), a.Visitor)
}

func appendBurst(dst []byte, w access.Window) []byte {
	dst = appendItem(dst, w.Name, ";r=", w.Remaining)
	if w.Used == 0 {
		return append(dst, ";t=0"...)
	}
	return append(dst, ";t=1"...) // a burst is refilled within a second
}

// largestInteger is that of structured fields (RFC 9651).
const largestInteger = 999_999_999_999_999

// appendItem appends an item of a list of structured fields: a name and its first parameter.
func appendItem(dst []byte, name, parameter string, value int64) []byte {
	dst = append(append(append(append(dst, '"'), name...), '"'), parameter...)
	return strconv.AppendInt(dst, min(value, largestInteger), 10)
}

// refuseQuota is the refusal of a request for which the quota has too little, with a message unless
// that is "": the one that nothing is left.
func (k *call) refuseQuota(message string) error {
	if k.admission.Verdict == access.LifetimeExceeded {
		return handlers.Refuse(errLifetime, message) // no time will help
	}
	k.http.Set(fiber.HeaderRetryAfter, strconv.FormatInt(untilReset(k.admission), 10))
	if k.admission.Verdict == access.TokensExceeded {
		return handlers.Refuse(errTokens, message)
	}
	return handlers.Refuse(errDaily, message)
}

// remains says how much there is of the limit that refuses k.
func (k *call) remains() string {
	if k.admission.Verdict == access.TokensExceeded {
		return fmt.Sprintf("%d remain of the tokens' share of the day", k.admission.Tokens.Remaining)
	}
	return fmt.Sprintf("%d remain of the quota", k.admission.Remaining)
}
