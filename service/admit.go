package service

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/edge"
	"filings/service/handlers"
	"filings/service/params"
	"filings/service/tokens"
)

// admit lets a request pass whose key, burst and quota allow it. It stands before the routes:
// without a key no client learns which paths there are (rule K6).
func (s *Service) admit(c *fiber.Ctx) error {
	k := callOf(c)
	key, err := keyOrToken(c)
	if err != nil {
		return err
	}
	// with a token, too: a more expensive request is a link's, or refused, and counts against the
	// share of tokens
	price := int64(1)
	if strings.HasPrefix(key, tokens.Start) {
		if err := s.readToken(k, key); err != nil {
			return err
		}
	}
	if e := s.endpoints[c.Path()]; e != nil && (k.token == nil || e.Link && k.forToken(e)) {
		k.query, k.unread = s.params.Split(&e.Endpoint, string(c.Request().URI().QueryString()))
		price = k.query.Price()
	}
	if err := s.admitted(k, key, price); err != nil {
		return err
	}
	return c.Next()
}

// admitted admits a request of a price with a key, or with the token that k has; otherwise it
// returns why it does not.
func (s *Service) admitted(k *call, key string, price int64) (err error) {
	c, began := k.http, s.now()
	k.price = price
	credential := access.Key(key)
	if k.token != nil {
		credential = s.visit(k)
	}
	ctx, span := s.config.KeyStore.Start(c.UserContext(), "admit")
	a, err := s.config.Access.Admit(ctx, credential, k.price)
	k.admit(a)
	k.keyStore = s.now().Sub(began)
	outcome := s.metrics.keyStoreCalled(err, k.keyStore)
	if err == nil {
		span.Text("filings.verdict", verdictLabels[k.admission.Verdict])
	}
	span.End(outcome)
	if err != nil {
		return err
	}
	s.metrics.admissions.WithLabelValues(verdictLabels[a.Verdict]).Inc()
	if a.Verdict == access.UnknownKey {
		if k.token != nil {
			return handlers.Refuse(errUnknownKey,
				"the key that the token was made with was revoked or replaced, or its account is of the free tier")
		}
		return errUnknownKey
	}
	k.known = true
	k.setQuotaHeaders()
	switch a.Verdict {
	case access.BurstExceeded:
		c.Set(fiber.HeaderRetryAfter, "1")
		suffix := ""
		if k.token != nil {
			suffix = " with tokens of this account"
		}
		return handlers.Refuse(errBurst, fmt.Sprintf(burstExceeded, a.Burst.Limit, suffix))
	case access.VisitorExceeded:
		c.Set(fiber.HeaderRetryAfter, "1")
		return handlers.Refuse(errBurst, fmt.Sprintf(burstExceeded, a.Visitor.Limit, " by one visitor"))
	case access.TokensExceeded, access.DailyExceeded, access.LifetimeExceeded:
		if k.price > 1 {
			return k.refuseQuota(fmt.Sprintf("this page costs %d requests, one per %d of its limit, rounded up, "+
				"and %s: nothing was taken. A smaller limit costs less", k.price, params.RowsForOne, k.remains()))
		}
		return k.refuseQuota("")
	}
	return nil
}

// admit sets the admission of k. Contacts are for no token.
func (k *call) admit(a access.Admission) {
	if k.token != nil && a.Tier == access.Enterprise {
		a.Tier = access.Pro
	}
	k.admission = a
}

// keyOf returns the key of a request: that of X-API-Key, or of Authorization: Bearer (rule X59).
// Each of them must hold one, and both the same: of several, a proxy in front of us may have looked
// at another one than we would.
func keyOf(c *fiber.Ctx) (string, error) {
	bearer, err := bearerOf(c)
	keys := c.Request().Header.PeekAll(headerKey)
	switch {
	case len(keys) > 1:
		return "", handlers.Refuse(errUnknownKey, "X-API-Key must be given only once")
	case err != nil:
		return "", err
	case len(keys) == 1 && len(keys[0]) > 0:
		if bearer != "" && bearer != string(keys[0]) {
			return "", handlers.Refuse(errUnknownKey,
				"X-API-Key and Authorization: Bearer must hold the same key: send one of them")
		}
		return string(keys[0]), nil
	case bearer != "":
		return bearer, nil
	case len(c.Request().Header.Peek(fiber.HeaderAuthorization)) > 0:
		return "", handlers.Refuse(errNoKey, "Authorization must be Bearer and the API key, or send the key in the "+
			"X-API-Key header")
	case holdsKey(c.Request().URI().QueryString()):
		return "", handlers.Refuse(errNoKey, "an API key must not be in an address, which browsers and proxies "+
			"keep: replace this one, and send keys in the X-API-Key header")
	}
	return "", errNoKey
}

// bearerOf returns the bearer token of Authorization, "" for none: other schemes are a proxy's.
func bearerOf(c *fiber.Ctx) (string, error) {
	lines := c.Request().Header.PeekAll(fiber.HeaderAuthorization)
	switch {
	case len(lines) == 0:
		return "", nil
	case len(lines) > 1:
		return "", handlers.Refuse(errUnknownKey, "Authorization must be given only once")
	}
	scheme, key, _ := strings.Cut(string(lines[0]), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", nil
	}
	return strings.TrimSpace(key), nil
}

// bears reports whether Authorization bears anything.
func bears(c *fiber.Ctx) bool {
	bearer, err := bearerOf(c)
	return bearer != "" || err != nil
}

// holdsKey reports whether a query string has a key in it, as it is or escaped.
func holdsKey(query []byte) bool {
	text, err := url.QueryUnescape(string(query))
	return err == nil && strings.Contains(text, access.KeyStart) || bytes.Contains(query, []byte(access.KeyStart))
}

// refund gives back n of a request's price: all of it where the service failed to answer (rule K6).
// The response waits for that only as long as the request's time allows; where the key store does
// not answer either, the refund goes on in the background.
func (s *Service) refund(k *call, n int64) {
	if !k.known || n < 1 || k.admission.Verdict != access.Admitted {
		return
	}
	s.await(k, s.giveBack(k.id, k.admission, n))
}

// chargeSpent has a request that used up its time count with its price, and an export as one
// request: the engine worked for it. Where the engine responds to nobody, nothing counts.
func (s *Service) chargeSpent(k *call) {
	if !k.known || k.admission.Verdict != access.Admitted {
		return
	}
	a, price := k.admission, k.price
	s.await(k, s.settle(k.id, func(ctx context.Context) (n int64, err error) {
		switch responds := s.config.Engine.Responds(ctx); {
		case responds && price == 0: // of an export
			_, err = s.config.Access.Charge(ctx, a, 1)
			return -1, err
		case responds || price == 0:
			return 0, nil
		}
		return price, s.config.Access.Refund(ctx, a, price)
	}))
}

// await waits for the refund of k, as long as its time allows, and sets the quota's headers.
func (s *Service) await(k *call, done <-chan int64) {
	timeout := time.NewTimer(s.config.RequestTimeout - s.now().Sub(k.began))
	defer timeout.Stop()
	select {
	case n := <-done:
		k.admission.Remaining += n
		k.admission.Tokens.Remaining += n // without a token it is not shown
		k.setQuotaHeaders()
	case <-timeout.C:
	}
}

// giveBack refunds n requests of an admission in the background, and sends how many it did.
func (s *Service) giveBack(id string, a access.Admission, n int64) <-chan int64 {
	return s.settle(id, func(ctx context.Context) (int64, error) { return n, s.config.Access.Refund(ctx, a, n) })
}

// settle finds out in the background how many requests are given back, and sends their number, 0
// where that failed. Its context is not the request's: that has probably ended, which is why we are
// here. Calls of the key store have a limit of their own.
func (s *Service) settle(id string, refund func(context.Context) (int64, error)) <-chan int64 {
	done := make(chan int64, 1)
	s.refunds.RLock()
	go func() {
		defer s.refunds.RUnlock()
		var n int64
		err := edge.Recovered(func() (err error) { // the recovery of a request does not reach here
			n, err = refund(context.Background())
			return err
		})
		if err != nil {
			s.log.Error("quota not refunded", slog.String("id", id), slog.Int64("requests", n),
				slog.String("error", err.Error()))
			n = 0
		}
		done <- n
	}()
	return done
}

// Drain waits for the refunds that were not done when their requests were answered, or until ctx
// ends. It is for after the last request, and before the key store is closed.
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
