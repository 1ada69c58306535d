package service

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/handlers"
	"filings/service/params"
)

// admit lets a request pass whose key, burst and quota allow it. It stands before the routes: without a key no client
// learns which paths there are (rule K6).
func (s *Service) admit(c *fiber.Ctx) error {
	k := callOf(c)
	key, err := keyOf(c)
	if err != nil {
		return err
	}
	k.price = s.params.Price(s.takes[c.Path()], string(c.Request().URI().QueryString()), k.began)
	began := s.now()
	k.admission, err = s.config.Access.Admit(c.UserContext(), key, k.price)
	s.metrics.keyStoreCalled(err, s.now().Sub(began))
	if err != nil {
		return err
	}
	a := k.admission
	s.metrics.admissions.WithLabelValues(verdictLabels[a.Verdict]).Inc()
	if a.Verdict == access.UnknownKey {
		return errUnknownKey
	}
	k.known = true
	k.setQuotaHeaders()
	switch a.Verdict {
	case access.BurstExceeded:
		c.Set(fiber.HeaderRetryAfter, "1")
		return errBurst
	case access.DailyExceeded, access.LifetimeExceeded:
		if k.price > 1 {
			return k.refuseQuota(fmt.Sprintf("this page costs %d requests, one for each begun %d of its limit, and %d remain of the quota: "+
				"nothing was taken. A smaller limit costs less", k.price, params.RowsForOne, a.Remaining))
		}
		return k.refuseQuota("")
	}
	return c.Next()
}

// refuseQuota is the refusal of a request for which the quota has too little, with a message unless that is "": the one that
// nothing is left.
func (k *call) refuseQuota(message string) error {
	if k.admission.Verdict == access.LifetimeExceeded {
		return handlers.Refuse(errLifetime, message) // no time will help
	}
	k.setRetryAtReset()
	return handlers.Refuse(errDaily, message)
}

// keyOf returns the key of a request. Exactly one X-API-Key must hold it: of several, a proxy in front of us may have
// looked at another one than we would.
func keyOf(c *fiber.Ctx) (string, error) {
	keys := c.Request().Header.PeekAll(headerKey)
	switch {
	case len(keys) == 1 && len(keys[0]) > 0:
		return string(keys[0]), nil
	case len(keys) > 1:
		return "", handlers.Refuse(errUnknownKey, "X-API-Key must be given only once")
	case len(c.Request().Header.Peek(fiber.HeaderAuthorization)) > 0:
		return "", handlers.Refuse(errNoKey, "the Authorization header is not accepted: send the API key in the X-API-Key header")
	}
	return "", errNoKey
}

// setQuotaHeaders sets what every response to a known caller carries (rule K7).
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

// appendPolicies appends the limits of the caller's tier as draft-ietf-httpapi-ratelimit-headers-11 has them (rule X15): each
// with its quota, and its window in seconds if it has one.
func appendPolicies(dst []byte, a access.Admission) []byte {
	dst = appendItem(dst, a.Tier.QuotaName(), ";q=", a.Limit)
	if a.Tier != access.Free {
		dst = append(dst, ";w=86400"...)
	}
	return append(appendItem(append(dst, ", "...), a.Burst.Name, ";q=", a.Burst.Limit), ";w=1"...)
}

// appendLimits appends what remains of each limit, and in how many seconds there will be more, if ever.
func appendLimits(dst []byte, a access.Admission) []byte {
	dst = appendItem(dst, a.Tier.QuotaName(), ";r=", a.Remaining)
	if a.Tier != access.Free {
		dst = strconv.AppendInt(append(dst, ";t="...), untilReset(a), 10)
	}
	dst = appendItem(append(dst, ", "...), a.Burst.Name, ";r=", a.Burst.Remaining)
	if a.Burst.Used == 0 {
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

// setRetryAtReset says when a day's quota is full again, by the store's clock.
func (k *call) setRetryAtReset() {
	k.http.Set(fiber.HeaderRetryAfter, strconv.FormatInt(untilReset(k.admission), 10))
}

// refundTime is kept of each request's time for the refund of its quota, since a request mostly fails by using up the
// rest. A tenth of the request's time, where that is less.
const refundTime = 500 * time.Millisecond

// workTime is the part of a request's time in which it must be answered.
func (s *Service) workTime() time.Duration {
	t := s.config.RequestTimeout
	return t - min(refundTime, t/10)
}

// refund gives back n of what a request took: all of it where the service failed to answer (rule K6). The response waits for
// that only as long as the request's time allows; where the key store does not answer either, the refund goes on in the
// background.
func (s *Service) refund(k *call, n int64) {
	if !k.known || n < 1 || k.admission.Verdict != access.Admitted {
		return
	}
	done := s.giveBack(k.id, k.admission, n)
	timeout := time.NewTimer(s.config.RequestTimeout - s.now().Sub(k.began))
	defer timeout.Stop()
	select {
	case err := <-done:
		if err == nil {
			k.admission.Remaining += n
			k.setQuotaHeaders()
		}
	case <-timeout.C:
	}
}

// giveBack refunds n requests of an admission in the background, and sends how that ended.
func (s *Service) giveBack(id string, a access.Admission, n int64) <-chan error {
	done := make(chan error, 1)
	s.refunds.RLock()
	go func() {
		defer s.refunds.RUnlock()
		// Not the request's context: that has probably ended, which is why we are here. A refund has a limit of its own.
		err := recovered(context.Background(), func(ctx context.Context) error { return s.config.Access.Refund(ctx, a, n) })
		if err != nil {
			s.log.Error("quota not refunded", slog.String("id", id), slog.Int64("requests", n), slog.String("error", err.Error()))
		}
		done <- err
	}()
	return done
}

// recovered runs f and makes a panic an error: the recovery of a request does not reach other goroutines.
func recovered(ctx context.Context, f func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(ctx)
}

// Drain waits for the refunds that were not done when their requests were answered, or until ctx ends. It is for after
// the last request, and before the key store is closed.
func (s *Service) Drain(ctx context.Context) error {
	if s.refunds.TryLock() { // nothing to wait for, even if ctx has ended
		s.refunds.Unlock()
		return nil
	}
	drained := make(chan struct{})
	go func() {
		s.refunds.Lock() // once no refund holds it
		defer s.refunds.Unlock()
		close(drained)
	}()
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
