package service

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/edge"
	"filings/service/handlers"
	"filings/service/mcp"
)

// agentsPath is where assistants call the API as tools (rule X50).
const agentsPath = "/mcp"

// agents responds to assistants. A call of a tool is the request that it stands for: it is
// admitted, handled and logged as that one. Anything else costs nothing of the quota.
func (s *Service) agents(c *fiber.Ctx) error {
	k := callOf(c)
	k.route, k.free = agentsPath, true
	if err := sameSite(c); err != nil {
		return err
	}
	key, err := keyOf(c)
	if err != nil {
		return err
	}
	method, header, body := c.Method(), netHeader(c), slices.Clone(c.Request().Body())
	var called *mcp.Call
	var wrong error
	if method == fiber.MethodPost {
		called, wrong = s.tools.Read(body)
	}
	price := int64(access.NoPrice)
	if called != nil {
		price, k.free, k.route = 1, false, called.Path // a result has too few rows to cost more
	}
	refused := s.admitted(k, key, price)
	switch {
	case !k.known, called == nil && refused != nil:
		return refused
	case wrong != nil:
		return handlers.Refuse(errInvalid, wrong.Error())
	}
	m, accepted := s.tools.Serve(method, header, body, called), header.Get(fiber.HeaderAcceptEncoding)
	switch {
	case called == nil:
	case called.Taken:
		s.callTool(k, called, refused)
		m.Body = called.Insert(m.Body)
	default: // the protocol refuses it: nothing is computed
		s.refund(k, k.price)
		k.route = agentsPath
	}
	return k.sendMessage(m, accepted)
}

// callTool handles the request that a call of a tool stands for, unless it is refused already, and
// ends it: the rest is its form.
func (s *Service) callTool(k *call, called *mcp.Call, err error) {
	called.Admission = k.admission
	if err == nil {
		if wrong := called.ReadArguments(); wrong != nil {
			err = handlers.Refuse(errInvalid, wrong.Error())
		}
	}
	e := *s.endpoints[called.Path]
	k.route, k.inPath = e.Path, called.InPath
	k.become(called)
	e.handle = called.Handler(e.handle)
	for done := err != nil; !done; done = err != nil || called.Fit(k.http.Response().Body()) {
		if err = k.http.UserContext().Err(); err == nil {
			err = s.serve(&e)(k.http)
		}
	}
	if err != nil {
		s.fail(k, err)
		called.Refuse(mapError(err).message)
	}
	s.end(k, err)
}

// become makes k's request the one that a call of a tool stands for.
func (k *call) become(called *mcp.Call) {
	k.http.Method(fiber.MethodGet)
	r := k.http.Request()
	r.Header.SetMethod(fiber.MethodGet)
	r.SetRequestURI("/?" + called.Query)
	r.Header.Set(headerPrefer, "handling=strict")
	for _, name := range []string{fiber.HeaderAccept, fiber.HeaderAcceptEncoding, fiber.HeaderIfNoneMatch,
		fiber.HeaderIfModifiedSince} {
		r.Header.Del(name)
	}
}

// sendMessage sends the response of the protocol's library, with the headers of the request that
// was handled but those of its body.
func (k *call) sendMessage(m *mcp.Response, accepted string) error {
	r := k.http.Response()
	for _, name := range []string{fiber.HeaderETag, fiber.HeaderLink, fiber.HeaderContentType, headerApplied} {
		r.Header.Del(name)
	}
	for name, values := range m.Header() {
		k.http.Set(name, strings.Join(values, ", "))
	}
	k.http.Set(fiber.HeaderCacheControl, "no-store")
	k.http.Status(m.Status)
	r.SetBodyRaw(m.Body)
	k.http.Request().Header.Set(fiber.HeaderAcceptEncoding, accepted)
	compress(k.http)
	return nil
}

// sameSite refuses a script of an origin that may not use the API, and a name for a loopback
// address that is not its own, which a page elsewhere may have given it (DNS rebinding).
func sameSite(c *fiber.Ctx) error {
	if origin := c.Request().Header.Peek(fiber.HeaderOrigin); len(origin) > 0 &&
		c.GetRespHeader(fiber.HeaderAccessControlAllowOrigin) == "" {
		return handlers.Refuse(errForbidden, "Origin must be one that the operator allows")
	}
	if !edge.OwnHost(c) {
		return handlers.Refuse(errForbidden,
			"Host must be localhost, or a loopback address, as the address of this connection is")
	}
	return nil
}

// netHeader returns the headers of a request as net/http has them, but the key. Every client gets
// JSON, also one that does not name both forms of the protocol.
func netHeader(c *fiber.Ctx) http.Header {
	header := http.Header{}
	for name, value := range c.Request().Header.All() {
		header.Add(string(name), string(value))
	}
	header.Del(headerKey)
	header.Del(fiber.HeaderAuthorization)
	header.Set(fiber.HeaderAccept, "application/json, text/event-stream")
	return header
}

// newEdge returns the application of the API. Where assistants may call tools, their messages may
// be longer than other bodies.
func (s *Service) newEdge() *fiber.App {
	app := edge.New(s.refused, edge.APIBody)
	if s.tools != nil {
		edge.AllowBody(app, agentsPath, mcp.MaxBody)
	}
	return app
}
