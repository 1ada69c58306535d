package service

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/gofiber/fiber/v2"

	"filings/service/edge"
	"filings/service/export"
	"filings/service/mcp"
	"filings/service/negotiate"
	"filings/service/pages"
	"filings/service/params"
)

// New returns a service. It fails when c lacks something, or c.Registry has another's metrics.
func New(c Config) (*Service, error) {
	if c.Engine == nil || c.Access == nil || c.RequestTimeout <= 0 {
		return nil, errors.New("service: engine, access and a request timeout are needed")
	}
	if c.OperationsToken != "" && !ValidToken(c.OperationsToken) {
		return nil, errors.New("service: the operations token must be " + TokenForm)
	}
	if err := c.TokenSecrets.Validate(); err != nil {
		return nil, fmt.Errorf("service: the secrets of tokens %w", err)
	}
	c = c.withDefaults()
	s := &Service{config: c, now: c.Now, log: c.Log, cors: newCORS(c)}
	s.params = params.New(c.LegacyHasDataName, c.ActiveStatuses)
	s.rows, s.endpoints = endpoints(c.Access, c.TokenSecrets), map[string]*endpoint{}
	for i := range s.rows {
		e := &s.rows[i]
		s.endpoints[e.Path], s.endpoints[e.Legacy] = e, e
		if e.hasGeoJSONPath() {
			s.endpoints[e.Path+geoJSONEnd] = e
		}
	}
	delete(s.endpoints, "") // of those without a legacy path
	var err error
	if s.files, err = pages.Files(c.Tiles); err != nil {
		return nil, err
	}
	document := func() ([]byte, error) { return newDocument(s.params, s.rows, c.PublicURL) }
	s.files = append(s.files, pages.New(documentPath, edge.JSON, document))
	if c.MCP {
		if s.tools, err = mcp.New(s.params, c.MCPResult); err != nil {
			return nil, err
		}
	}
	s.tokens.seed = maphash.MakeSeed()
	s.exports = export.NewSlots(c.Exports, c.ExportWait)
	s.exporting, s.cutExports = context.WithCancelCause(context.Background())
	s.buffers.New = func() any { return new([]byte) }
	if s.metrics, err = newMetrics(c.Registry, s.liveGeneration, s.lastLoads, s.countiesLoaded); err != nil {
		return nil, err
	}
	s.metrics.countParameters(s.params, s.rows)
	s.app = s.newApp()
	return s, nil
}

func (s *Service) newApp() *fiber.App {
	app := s.newEdge()
	app.Use(s.observe, edge.Framed, s.preflight)
	app.Get("/", toReference)
	app.Get(documentPath, s.partOfDocument())
	for _, f := range s.files {
		app.Get(f.Path, s.serveFile(f))
	}
	if s.tools != nil {
		app.All(agentsPath, s.agents)
	}
	app.Use(s.admit, wellFormed)
	for i := range s.rows {
		e := &s.rows[i]
		serve := s.serve(e)
		if e.Shape.Has(params.File) {
			serve = s.export(e)
		}
		app.Get(e.Path, serve) // and HEAD
		if e.hasGeoJSONPath() {
			app.Get(e.Path+geoJSONEnd, inGeoJSON, serve)
		}
		if e.Legacy != "" {
			app.Get(e.Legacy, deprecated(e.Legacy), serve)
		}
	}
	return app
}

// geoJSONEnd ends a path whose pages are GeoJSON, for programs without Accept (rule X67).
const geoJSONEnd = ".geojson"

func (e *endpoint) hasGeoJSONPath() bool { return e.GeoJSON != nil && e.Shape.Has(params.Pagination) }

func inGeoJSON(c *fiber.Ctx) error {
	callOf(c).geoJSON = true
	return c.Next()
}

// wellFormed refuses a request whose target or host is no URL: control characters, mostly. The
// server leaves its path empty, which would be taken for one that does not exist.
func wellFormed(c *fiber.Ctx) error {
	if len(c.Request().URI().PathOriginal()) == 0 {
		return edge.ErrMalformed
	}
	return c.Next()
}

// deprecatedSince is the release that made the legacy paths legacy, as RFC 9745 writes a date.
const deprecatedSince = "@1771977600" // 2026-02-25T00:00:00Z

// deprecated marks the responses of a legacy path.
func deprecated(pattern string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		callOf(c).route = pattern
		c.Set(headerDeprecated, deprecatedSince)
		c.Set(fiber.HeaderLink, "<"+successor(c.Path())+`>; rel="successor-version"`)
		return c.Next()
	}
}

// successor returns the path that has taken the place of a legacy one (rule P20), as a reference
// relative to that one.
func successor(path string) string {
	rest := strings.TrimPrefix(path, "/v1/liens")
	return strings.Repeat("../", strings.Count(rest, "/")) + "filings" + edge.HeaderSafe(rest)
}

// toReference redirects / to /docs, by an address that is right below a proxy's path prefix too. It
// needs no key and isn't counted.
func toReference(c *fiber.Ctx) error {
	callOf(c).route = "/"
	return c.Redirect("docs", fiber.StatusFound)
}

// serveFile sends f to everybody, without a key.
func (s *Service) serveFile(f pages.File) fiber.Handler {
	return func(c *fiber.Ctx) error {
		k := callOf(c)
		k.route = f.Path
		c.Set(fiber.HeaderVary, s.cors.Vary(fiber.HeaderAcceptEncoding))
		tag, err := f.SetHeaders(c)
		if err != nil {
			return err
		}
		if negotiate.MatchTag(headerLines(c, fiber.HeaderIfNoneMatch), tag) != negotiate.NoMatch {
			return k.notModified(tag)
		}
		accepted := string(c.Request().Header.Peek(fiber.HeaderAcceptEncoding))
		return f.Send(c, negotiate.Coding(accepted, "gzip") == "gzip")
	}
}
