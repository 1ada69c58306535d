package edge

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// CORS has the permissions of scripts of other origins (rule T2).
type CORS struct {
	Origins []string // that may read responses, in any case; "*" is all of them
	Methods string   // that they may use
	Headers string   // that they may send
	Exposed string   // response headers that they may read
}

// SetHeaders allows the origin of a request to read its response, if it is one of Origins.
func (o CORS) SetHeaders(c *fiber.Ctx) {
	if origin := o.allowed(c); origin != "" {
		o.Allow(c, origin)
	}
}

// Allow allows an origin to read the response, with any Origins.
func (o CORS) Allow(c *fiber.Ctx, origin string) {
	c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
	c.Set(fiber.HeaderAccessControlExposeHeaders, o.Exposed)
}

// Vary returns the Vary of a response that depends on the request headers named, and on the origin
// unless all are treated alike.
func (o CORS) Vary(headers string) string {
	if len(o.Origins) > 0 && !o.open() {
		headers += ", Origin"
	}
	return headers
}

// Preflight responds to the request that a browser sends before a script's own, and reports whether
// c is such a request. It carries no key; an origin that is not allowed gets no permission.
func (o CORS) Preflight(c *fiber.Ctx) bool {
	h := &c.Request().Header
	if c.Method() != fiber.MethodOptions || len(h.Peek(fiber.HeaderOrigin)) == 0 ||
		len(h.Peek(fiber.HeaderAccessControlRequestMethod)) == 0 {
		return false
	}
	if o.allowed(c) != "" {
		c.Set(fiber.HeaderAccessControlAllowMethods, o.Methods)
		c.Set(fiber.HeaderAccessControlAllowHeaders, o.Headers)
		c.Set(fiber.HeaderAccessControlMaxAge, "7200") // the most that browsers keep it
	}
	c.Status(fiber.StatusNoContent)
	return true
}

func (o CORS) open() bool { return slices.Contains(o.Origins, "*") }

// allowed returns the Access-Control-Allow-Origin of a response, "" for none.
func (o CORS) allowed(c *fiber.Ctx) string {
	origin := string(c.Request().Header.Peek(fiber.HeaderOrigin))
	switch {
	case origin == "":
		return ""
	case o.open():
		return "*"
	case slices.ContainsFunc(o.Origins, func(allowed string) bool { return strings.EqualFold(allowed, origin) }):
		return origin
	}
	return ""
}
