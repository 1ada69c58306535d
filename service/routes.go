package service

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"filings/service/edge"
)

// endpoint is one path of the API.
type endpoint struct {
	path   string // Fiber's pattern
	legacy string // an older path that answers the same (rule P20)
	takes  endpoints
	answer func(*Service, *call, question) error
}

// surface is the whole API.
func surface() []endpoint {
	return []endpoint{
		{"/v1/filings", "/v1/liens", onList, (*Service).list},
		{"/v1/filings/search", "/v1/liens/search", onSearch, (*Service).search}, // before :id, which would match it
		{"/v1/filings/clusters", "", onClusters, (*Service).mapClusters},        // likewise
		{"/v1/filings/:id", "/v1/liens/:id", 0, (*Service).filing},
		{"/v1/stats", "", 0, (*Service).stats},
		{"/v1/stats/counties", "", onCountyStats, (*Service).countyStats},
		{"/v1/counties", "", 0, (*Service).counties},
		{"/v1/counties/:county/months", "", 0, (*Service).months},
		{"/v1/counties/:county/date-ranges", "", 0, (*Service).dateRanges},
		{"/v1/me", "", 0, (*Service).me},
	}
}

func (s *Service) newApp() *fiber.App {
	app := fiber.New(edge.ServerConfig(s.refused))
	app.Use(s.observe, edge.Framed, s.preflight)
	for _, f := range s.files {
		app.Get(f.Path, s.serveFile(f))
	}
	app.Use(s.admit, wellFormed)
	for _, e := range surface() {
		app.Get(e.path, s.serve(e)) // and HEAD
		if e.legacy != "" {
			app.Get(e.legacy, deprecated(e.legacy), s.serve(e))
		}
	}
	edge.RouteAllMethods(app.Server())
	edge.CloseIdle(app.Server())
	return app
}

// wellFormed refuses a request whose target or host is no URL: control characters, mostly. The server leaves its path
// empty, which would be taken for one that does not exist.
func wellFormed(c *fiber.Ctx) error {
	if len(c.Request().URI().PathOriginal()) == 0 {
		return edge.ErrMalformed
	}
	return c.Next()
}

// serve reads the parameters of an endpoint and lets it answer.
func (s *Service) serve(e endpoint) fiber.Handler {
	return func(c *fiber.Ctx) error {
		k := callOf(c)
		if k.route == noRoute {
			k.route = e.path
		}
		q, err := s.read(c, e.takes)
		if err != nil {
			return err
		}
		return e.answer(s, k, q)
	}
}

// read reads the query string by the table, and says in headers what it did not use (rule P5).
func (s *Service) read(c *fiber.Ctx, takes endpoints) (question, error) {
	g, err := s.table.given(takes, string(c.Request().URI().QueryString()))
	if err != nil {
		return question{}, err
	}
	var prefer []string
	for _, v := range c.Request().Header.PeekAll(headerPrefer) {
		prefer = append(prefer, string(v))
	}
	strictness := handling(prefer)
	if strictness != "" {
		c.Set(headerApplied, "handling="+strictness)
	}
	if len(g.unknown) > 0 {
		if strictness == "strict" {
			return question{}, s.table.unknown(takes, g.unknown[0])
		}
		c.Set(headerIgnored, ignoredHeader(g.unknown))
	}
	return s.table.ask(takes, g, s.now(), s.active)
}

// deprecatedSince is the release that made the legacy paths legacy, as RFC 9745 writes a date.
const deprecatedSince = "@1771977600" // 2026-02-25T00:00:00Z

// deprecated marks the answers of a legacy path.
func deprecated(pattern string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		callOf(c).route = pattern
		c.Set(headerDeprecated, deprecatedSince)
		c.Set(fiber.HeaderLink, "<"+successor(c.Path())+`>; rel="successor-version"`)
		return c.Next()
	}
}

// successor returns the path that has taken the place of a legacy one (rule P20).
func successor(path string) string {
	return "/v1/filings" + edge.HeaderSafe(strings.TrimPrefix(path, "/v1/liens"))
}
