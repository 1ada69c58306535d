package service

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

const (
	contentType      = "application/json; charset=utf-8"
	headerRequestID  = "X-Request-ID"
	headerIgnored    = "X-Ignored-Parameters"
	headerPrefer     = "Prefer"
	headerApplied    = "Preference-Applied"
	headerDeprecated = "Deprecation"
)

// exposed are the headers that scripts of other origins may read (rule K7).
const exposed = headerLimit + ", " + headerRemaining + ", " + headerReset + ", Retry-After, " + headerRequestID + ", " +
	headerIgnored + ", " + headerApplied + ", ETag, " + headerDeprecated + ", Link"

// setCommonHeaders sets what every answer carries. Answers may be kept by the client alone, which must ask whether they
// still hold; which one it is depends on the key's tier. Every client of this listener speaks HTTPS, so all may be told
// to stay with it.
func (s *Service) setCommonHeaders(k *call) {
	c := k.http
	c.Set(headerRequestID, k.id)
	c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	c.Set(fiber.HeaderVary, s.vary(headerKey+", Accept-Encoding, "+headerPrefer))
	if origin := s.allowedOrigin(c); origin != "" {
		c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
		c.Set(fiber.HeaderAccessControlExposeHeaders, exposed)
	}
}

// vary returns the Vary of answers that depend on the headers given, and on the origin where not all are allowed.
func (s *Service) vary(headers string) string {
	if len(s.config.CORSOrigins) > 0 && !s.anyOrigin() {
		headers += ", Origin"
	}
	return headers
}

func (s *Service) anyOrigin() bool { return slices.Contains(s.config.CORSOrigins, "*") }

// allowedOrigin returns the origin that a browser is told may read the answer: "" for none.
func (s *Service) allowedOrigin(c *fiber.Ctx) string {
	origin := string(c.Request().Header.Peek(fiber.HeaderOrigin))
	switch {
	case origin == "":
		return ""
	case s.anyOrigin():
		return "*"
	case slices.ContainsFunc(s.config.CORSOrigins, func(o string) bool { return strings.EqualFold(o, origin) }):
		return origin
	}
	return ""
}

// preflight answers a browser's question whether it may send a request at all. It carries no key, so it is answered
// without one (rule T2); an origin that is not allowed gets an answer without permission.
func (s *Service) preflight(c *fiber.Ctx) error {
	asks := c.Method() == fiber.MethodOptions && len(c.Request().Header.Peek(fiber.HeaderOrigin)) > 0 &&
		len(c.Request().Header.Peek(fiber.HeaderAccessControlRequestMethod)) > 0
	if !asks {
		return c.Next()
	}
	callOf(c).route = "preflight"
	if s.allowedOrigin(c) != "" {
		c.Set(fiber.HeaderAccessControlAllowMethods, "GET, HEAD")
		c.Set(fiber.HeaderAccessControlAllowHeaders, headerKey+", If-None-Match, "+headerPrefer)
		c.Set(fiber.HeaderAccessControlMaxAge, "7200") // the most that browsers keep it
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

// headerSafe returns a raw path or query as it may stand in a header. What no URL has in it, and a request line can
// still carry, is percent-encoded; everything else stays as it is.
func headerSafe(raw string) string {
	var b strings.Builder
	for _, c := range []byte(raw) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
