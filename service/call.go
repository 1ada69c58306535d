package service

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/edge"
)

const (
	contentType      = edge.JSON
	headerKey        = "X-API-Key"
	headerLimit      = "X-RateLimit-Limit"
	headerRemaining  = "X-RateLimit-Remaining"
	headerReset      = "X-RateLimit-Reset"
	headerPolicies   = "RateLimit-Policy"
	headerLimits     = "RateLimit"
	headerRequestID  = edge.HeaderRequestID
	headerIgnored    = "X-Ignored-Parameters"
	headerPrefer     = "Prefer"
	headerApplied    = "Preference-Applied"
	headerDeprecated = "Deprecation"
	headerTotal      = "X-Total-Count"
	headerGeneration = "X-Generation"
)

// newCORS lets scripts of origins use the API, and read all headers that it sends (rule K7).
func newCORS(origins []string) edge.CORS {
	return edge.CORS{
		Origins: origins,
		Methods: "GET, HEAD",
		Headers: headerKey + ", If-None-Match, " + headerPrefer,
		Exposed: headerLimit + ", " + headerRemaining + ", " + headerReset + ", " + headerPolicies + ", " + headerLimits + ", Retry-After, " + headerRequestID + ", " +
			headerIgnored + ", " + headerApplied + ", ETag, " + headerDeprecated + ", Link, " + headerGeneration +
			", " + headerTotal + ", Content-Disposition",
	}
}

// call is what is known of one request while it is handled.
type call struct {
	http      *fiber.Ctx
	id        string // rule E5
	route     string // the endpoint's path as a pattern
	began     time.Time
	cancel    context.CancelFunc // of the request's time
	known     bool               // the caller is: admission is set, whatever its verdict
	admission access.Admission
	price     int64 // how many requests were taken of the quota; 0: none yet, since it is not known how many (rule X7)
	streams   bool  // the body is sent after the handlers' return, and ends the request
}

// noRoute stands for the route of what was refused before it came to one: an unbounded number of paths must not become
// an unbounded number of labels, and a path may hold what does not belong into a log.
const noRoute = "none"

type callKey struct{}

// newCall begins a request, and sets the headers of every response. A response may be kept by the client alone, which
// must revalidate it; which one it is depends on the key's tier. Every client of this listener speaks HTTPS, so all get
// Strict-Transport-Security.
func (s *Service) newCall(c *fiber.Ctx) *call {
	k := &call{http: c, id: edge.NewID(), route: noRoute, began: s.now()}
	c.Locals(callKey{}, k)
	c.Set(headerRequestID, k.id)
	c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	c.Set(fiber.HeaderVary, s.cors.Vary(headerKey+", Accept-Encoding, "+headerPrefer))
	s.cors.SetHeaders(c)
	return k
}

func callOf(c *fiber.Ctx) *call { return c.Locals(callKey{}).(*call) }

// observe is the outermost middleware: it begins a request and ends it. Errors, panics included, come to it and to
// nowhere else; it turns them into a response, refunds the quota, and writes the one record of the log.
func (s *Service) observe(c *fiber.Ctx) error {
	k := s.newCall(c)
	s.metrics.inFlight.Inc()
	defer s.metrics.inFlight.Dec()
	s.limitTime(k)
	defer func() { k.cancel() }()

	err := edge.Error(edge.Next(c))
	if err != nil {
		s.fail(k, err)
	}
	if !k.streams {
		s.end(k, err)
	}
	return nil
}

// limitTime gives a request the time of one from now on.
func (s *Service) limitTime(k *call) {
	if k.cancel != nil {
		k.cancel()
	}
	var ctx context.Context
	ctx, k.cancel = context.WithTimeout(context.Background(), s.workTime())
	k.http.SetUserContext(ctx)
}

// applied says in a header that a preference of the request was applied.
func (k *call) applied(preference string) {
	if before := k.http.GetRespHeader(headerApplied); before != "" && !strings.Contains(before, preference) {
		preference = before + ", " + preference
	}
	k.http.Set(headerApplied, preference)
}

// refused answers what the HTTP server refuses before any middleware sees it: a request that is too large, too slow or
// no HTTP.
func (s *Service) refused(c *fiber.Ctx, err error) error {
	k := s.newCall(c)
	err = edge.Error(err)
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

// fail writes the response to a request that failed, after refunding what it cost if that is our fault.
func (s *Service) fail(k *call, err error) {
	kind, message := mapError(err)
	switch {
	case kind.status >= http.StatusInternalServerError:
		s.refund(k, k.price)
	case k.price == 0 && kind.status != http.StatusTooManyRequests:
		s.chargeRefused(k)
	default:
		s.refund(k, k.price-1) // what is refused costs as much anywhere
	}
	r := k.http.Response()
	r.ResetBody()
	k.http.Status(kind.status)
	k.http.Set(fiber.HeaderContentType, contentType)
	r.SetBody(k.appendError(nil, kind, message))
}

// bodyBytes is how long the body is, 0 for HEAD of what is sent as a stream.
func (k *call) bodyBytes() int {
	if k.http.Response().IsBodyStream() {
		return 0
	}
	return len(k.http.Response().Body())
}

// end counts and logs a request that was answered.
func (s *Service) end(k *call, err error) {
	now := s.now()
	took := now.Sub(k.began)
	s.latest.Store(now.UnixNano())
	s.metrics.answered(k, took)
	level, attributes := slog.LevelInfo, append(edge.Attributes(k.http, k.id, k.route), edge.Took(took),
		slog.String("client", edge.Client(k.http, s.config.TrustedProxies).String()), slog.Int("bytes", k.bodyBytes()))
	if k.known {
		attributes = append(attributes, slog.String("user", k.admission.User), slog.String("tier", string(k.admission.Tier)))
	}
	if err != nil {
		kind := mappingOf(err)
		attributes = append(attributes, slog.String("code", kind.code))
		if kind.status >= http.StatusInternalServerError {
			level, attributes = slog.LevelError, append(attributes, slog.String("error", err.Error()))
		}
	}
	s.log.LogAttrs(context.Background(), level, "request", attributes...)
}
