package apitest

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"filings/index"
	"filings/index/synthetic"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
	"filings/service/tokens"
)

// free is a key store that admits every request at no cost, so that a benchmark measures the service alone.
type free struct{ access.Store }

func (free) Admit(context.Context, access.Credential, int64) (access.Admission, error) {
	return access.Admission{User: "u", Tier: access.Enterprise, Limit: 100, Remaining: 99, Reset: now, Now: now}, nil
}

// BenchmarkPage requests a page of 20 whose rows are in the cache: what the service itself costs, without TLS.
func BenchmarkPage(b *testing.B) {
	g, filings := synthetic.New(1), make([]*index.Filing, 200)
	for i := range filings {
		filings[i] = &index.Filing{}
		g.Next(filings[i])
	}
	s := newSite(b, caching{oracle(filings)}, func(c *service.Config) { c.Log, c.Access, c.MCP = nil, free{}, true })
	handler := s.App.Handler()
	for _, bb := range []struct{ name, target, header, value string }{
		{"list", "/v1/filings", fiber.HeaderAccept, "*/*"},
		{"filtered", "/v1/filings?min_amount=10&date_range=300&filing_types=Tax+Lien,Judgment&limit=20&offset=20", fiber.HeaderAccept, "*/*"},
		{"not modified", "/v1/filings", fiber.HeaderIfNoneMatch, "*"},
		{"hundred", "/v1/filings?limit=100", fiber.HeaderAccept, "*/*"},
		{"gzip", "/v1/filings", fiber.HeaderAcceptEncoding, "gzip"},
		{"br", "/v1/filings", fiber.HeaderAcceptEncoding, "br"},
		{"me", "/v1/me", fiber.HeaderAccept, "*/*"},
		{"as a tool shows it", "/v1/filings?cursor=*&fields=id,county,owner,propertyAddress,filingType,filingAmount,filingDate", fiber.HeaderAccept, "*/*"},
		{"tool", "", fiber.HeaderAccept, "application/json, text/event-stream"}, // search_filings
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			var c fasthttp.RequestCtx
			text := "GET " + bb.target + " HTTP/1.1\r\nHost: h\r\nX-API-Key: " + s.Keys[access.Enterprise] + "\r\n" +
				bb.header + ": " + bb.value + "\r\n\r\n"
			if bb.target == "" {
				message := messageOf("search_filings", map[string]any{})
				text = fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: h\r\nX-API-Key: %s\r\n%s: %s\r\nContent-Type: application/json\r\n"+
					"Content-Length: %d\r\n\r\n%s", s.Keys[access.Enterprise], bb.header, bb.value, len(message), message)
			}
			request := wire(b, text)
			for b.Loop() {
				request.CopyTo(&c.Request)
				c.Response.Reset()
				handler(&c)
			}
			b.ReportMetric(float64(len(c.Response.Body())), "body-bytes")
			if status := c.Response.StatusCode(); status >= 400 {
				b.Fatalf("status %d: %s", status, c.Response.Body())
			}
		})
	}
}

// wire returns the request that text is, read as the server reads it.
func wire(b *testing.B, text string) *fasthttp.Request {
	b.Helper()
	var r fasthttp.Request
	if err := r.Read(bufio.NewReader(strings.NewReader(text))); err != nil {
		b.Fatal(err)
	}
	return &r
}

// visited is free for tokens, too, of an account whose tier they have.
type visited struct{ free }

func (visited) Admit(context.Context, access.Credential, int64) (access.Admission, error) {
	return access.Admission{User: "u", Tier: access.Pro, Limit: 100, Remaining: 99, Reset: now, Now: now}, nil
}

// BenchmarkToken requests the same page with a key and with a token, whose filter is the key's query.
func BenchmarkToken(b *testing.B) {
	g, filings := synthetic.New(1), make([]*index.Filing, 200)
	for i := range filings {
		filings[i] = &index.Filing{}
		g.Next(filings[i])
	}
	s := newSite(b, caching{oracle(filings)}, func(c *service.Config) { c.Log, c.Access = nil, visited{} })
	handler := s.App.Handler()
	for _, bb := range []struct{ name, filter, target string }{
		{"list", "", "/v1/filings?"},
		{"filtered", "min_amount=10&county=" + url.QueryEscape(filings[0].Text(index.County)), "/v1/filings?"},
		{"hundred", "", "/v1/filings?limit=100&"},
	} {
		token, err := servicetest.TokenSecrets().Sign(tokens.Payload{Key: access.HashKey(s.Keys[access.Pro]), Expires: now.Add(time.Hour).Unix(),
			Origins: []string{pageOrigin}, Endpoints: []string{"list"}, Filter: bb.filter, Burst: 5})
		if err != nil {
			b.Fatal(err)
		}
		for _, with := range [][2]string{
			{"key", bb.target + bb.filter + " HTTP/1.1\r\nX-API-Key: " + s.Keys[access.Pro]},
			{"token", bb.target + "token=" + token + " HTTP/1.1"},
		} {
			b.Run(bb.name+"/"+with[0], func(b *testing.B) {
				b.ReportAllocs()
				var c fasthttp.RequestCtx
				request := wire(b, "GET "+with[1]+"\r\nHost: h\r\nOrigin: "+pageOrigin+"\r\n\r\n")
				for b.Loop() {
					request.CopyTo(&c.Request)
					c.Response.Reset()
					handler(&c)
				}
				b.ReportMetric(float64(len(c.Response.Body())), "body-bytes")
				if status := c.Response.StatusCode(); status != fasthttp.StatusOK {
					b.Fatalf("status %d: %s", status, c.Response.Body())
				}
			})
		}
	}
}
