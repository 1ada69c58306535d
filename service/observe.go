package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/index"
	"filings/index/trace"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/handlers"
	"filings/service/mcp"
)

// observe is the outermost middleware: it begins a request and ends it. Errors, panics included,
// come to it and to nowhere else; it turns them into a response, refunds the quota, and writes the
// one record of the log.
func (s *Service) observe(c *fiber.Ctx) error {
	k := s.newCall(c)
	s.metrics.inFlight.Inc()
	defer s.metrics.inFlight.Dec()
	s.limitTime(k)
	defer func() { k.cancel() }()

	err := edge.Error(edge.Recovered(c.Next))
	if err != nil {
		s.fail(k, err)
	}
	if s.config.ServerTiming && k.known {
		k.setTiming()
	}
	if !k.streams {
		s.end(k, err)
	}
	return nil
}

// newCall begins a request, and sets the headers of every response. A response may be kept by the
// client alone, which must revalidate it; which one it is depends on the key's tier. Every client
// of this listener speaks HTTPS, so all get Strict-Transport-Security.
func (s *Service) newCall(c *fiber.Ctx) *call {
	k := &call{http: c, id: edge.NewID(), route: noRoute, began: s.now()}
	k.traced, k.span = s.config.Tracer.Request(edge.TraceContext(c, s.config.TrustedProxies))
	c.Locals(callKey{}, k)
	c.Set(headerRequestID, k.id)
	c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	c.Set(fiber.HeaderVary, s.cors.Vary(headerKey+", Authorization, Accept-Encoding, "+headerPrefer))
	s.cors.SetHeaders(c)
	return k
}

// refused answers requests that the HTTP server refuses first: too large, too slow or no HTTP.
func (s *Service) refused(c *fiber.Ctx, err error) error {
	k := s.newCall(c)
	err = edge.Error(err)
	if s.tools != nil && errors.Is(err, edge.ErrBodyTooLarge) {
		err = handlers.Refuse(err, fmt.Sprintf("requests carry no body, and those to %s at most %d bytes", agentsPath,
			mcp.MaxBody))
	}
	if errors.Is(err, edge.ErrHeadTooLarge) && (len(s.cors.Origins) > 0 || len(s.config.TokenSecrets) > 0) {
		s.cors.Allow(c, "*") // its Origin was not read, and the response has nothing of anybody
	}
	s.fail(k, err)
	s.end(k, err)
	return nil
}

// preflight answers a browser's CORS preflight, which carries no key.
func (s *Service) preflight(c *fiber.Ctx) error {
	if !s.cors.Preflight(c) {
		return c.Next()
	}
	callOf(c).route = "preflight"
	return nil
}

// fail writes the response to a request that failed, after giving back the part of its price that
// does not count (rule X60).
func (s *Service) fail(k *call, err error) {
	e := mapError(err)
	switch {
	case e.kind == index.ErrSpent:
		s.chargeSpent(k)
	case e.status >= http.StatusInternalServerError, e.status == statusLeft:
		s.refund(k, k.price) // our fault, or given up before it cost us anything
	case k.free, e.status == http.StatusTooManyRequests:
	case !k.searched() && (e.kind == errInvalid || e.kind == edge.ErrNoPath || e.kind == edge.ErrMalformed):
		s.refund(k, k.price)
	case k.price == 0:
		s.chargeRefused(k)
	default:
		s.refund(k, k.price-1) // a refused request costs 1 anywhere
	}
	r := k.http.Response()
	r.ResetBody()
	k.http.Status(e.status)
	k.http.Set(fiber.HeaderContentType, edge.JSON)
	r.SetBody(k.appendError(nil, e))
}

// client returns the address that a request comes from. A proxy that does not say so is logged
// once: all its clients share a burst.
func (s *Service) client(c *fiber.Ctx) netip.Addr {
	client, unread := edge.Client(c, s.config.TrustedProxies)
	if unread {
		s.unread.Do(func() {
			s.log.Warn(
				"X-Forwarded-For of a trusted proxy has what is no address: its own is taken, for all its clients",
				slog.String("client", client.String()))
		})
	}
	return client
}

// end counts and logs a request that was answered, once.
func (s *Service) end(k *call, err error) {
	if k.ended {
		return
	}
	k.ended = true
	s.latest.Store(s.now().UnixNano())
	attributes, failure := []slog.Attr{slog.Int("bytes", k.bodyBytes())}, ""
	if err != nil {
		m := mappingOf(err)
		attributes = append(attributes, slog.String("code", m.code))
		if m.status >= http.StatusInternalServerError {
			failure, attributes = m.code, append(attributes, slog.String("error", err.Error()))
		}
	}
	s.newRecord(k).end(failure, attributes)
}

// record has the values of a request for metrics, log and span. It outlives the request's context,
// which the server uses again while an export is sent.
type record struct {
	service             *Service
	method, route, tier string
	status              int
	began               time.Time
	span                trace.Span
	attributes          []slog.Attr
}

// newRecord returns the record of k once its status is known.
func (s *Service) newRecord(k *call) record {
	r := record{s, k.http.Method(), k.route, "none", k.http.Response().StatusCode(), k.began, k.span, nil}
	if k.known {
		r.tier = string(k.admission.Tier)
	}
	r.attributes = append(edge.Attributes(k.http, k.id, k.route), slog.String("client", s.client(k.http).String()))
	r.attributes = k.appendCaller(r.attributes)
	return r
}

// end counts and logs the request. failure is the code of an error of ours, "" for none.
func (r record) end(failure string, attributes []slog.Attr) {
	took, level := r.service.now().Sub(r.began), slog.LevelInfo
	if failure != "" {
		level = slog.LevelError
	}
	r.service.metrics.observed(r.route, strconv.Itoa(r.status), r.tier, took)
	r.attributes = append(append(r.attributes, edge.Took(took)), attributes...)
	if h := r.service.log.Handler(); h.Enabled(context.Background(), level) {
		entry := slog.NewRecord(time.Now(), level, "request", 0) // LogAttrs looks for its caller: 4 µs of each request
		entry.AddAttrs(r.attributes...)
		_ = h.Handle(context.Background(), entry)
	}
	r.span.EndRequest(r.method, routed(r.route), r.status, failure)
}

// chargeRefused counts a refused request for an export, as any other refused request counts.
func (s *Service) chargeRefused(k *call) {
	charged, err := s.config.Access.Charge(k.http.UserContext(), k.admission, 1)
	if err != nil || charged.Verdict != access.Admitted {
		return // the refusal stands; one request too few was counted
	}
	k.admit(charged)
	k.price = 1
	k.setQuotaHeaders()
}
