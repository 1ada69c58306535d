package apitest

import (
	"bufio"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/sys/unix"

	tracing "filings/index/trace"
	"filings/service"
	"filings/service/access"
	"filings/service/cursor"
)

// strange is a key store that knows no key, at no cost.
type strange struct{ access.Store }

func (strange) Admit(context.Context, access.Credential, int64) (access.Admission, error) {
	return access.Admission{Verdict: access.UnknownKey}, nil
}

// most of what a stranger can send: request line and headers, a message to /mcp, a body to
// /accounts.
const (
	mostHead     = 15 << 10
	mostMessage  = 64 << 10
	mostAccounts = 8 << 10
)

// stranger is one text of requests without a valid key, which grows until most bytes.
type stranger struct {
	name string
	most int
	send func(n int) string // the request with n bytes of the text
	app  string             // that it is sent to; "": the API
}

// filled repeats a piece, in which %d is another number each time, as often as n bytes hold it.
func filled(piece string, n int) string {
	var b strings.Builder
	for i := 0; ; i++ {
		next := piece
		if strings.Contains(piece, "%d") {
			next = fmt.Sprintf(piece, i)
		}
		if b.Len()+len(next) > n {
			return b.String()
		}
		b.WriteString(next)
	}
}

// inTarget is a text within a request line, inHeader one of a header.
func inTarget(name, before, piece string) stranger {
	return stranger{name: name, most: mostHead, send: func(n int) string {
		return "GET " + before + filled(piece, n) + " HTTP/1.1\r\nHost: h\r\nX-API-Key: no\r\n\r\n"
	}}
}

func inHeader(name, target, before, piece string) stranger {
	return stranger{name: name, most: mostHead, send: func(n int) string {
		return "GET " + target + " HTTP/1.1\r\nHost: h\r\n" + before + filled(piece, n) + "\r\n\r\n"
	}}
}

func inBody(name, target, before, piece, after string, most int) stranger {
	return stranger{name: name, most: most, send: func(n int) string {
		body := before + filled(piece, n-len(before)-len(after)) + after
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nX-API-Key: no\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", target, strings.Repeat("t", 32), len(body), body)
	}}
}

// strangers is each text that a request has before it is admitted.
func strangers() []stranger {
	const traced = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_filings","arguments":`
	held := func(piece string) func(n int) string {
		return func(n int) string {
			query := filled(piece, n*3/4-100)
			at := cursor.Cursor{Generation: "20260315-000000.000000", Endpoint: "list", Query: query, Day: now, After: "1"}
			return "GET /v1/filings?limit=1000&cursor=" + at.String() + " HTTP/1.1\r\nHost: h\r\nX-API-Key: no\r\n\r\n"
		}
	}
	all := []stranger{
		inTarget("path/slashes", "/", "/"),
		inTarget("path/dots", "/a", "/.."),
		inTarget("path/dot", "/a", "/."),
		inTarget("path/deep then up", "/", "a/b/../"),
		inTarget("path/escapes", "/v1/filings/", "%2F"),
		inTarget("path/county", "/v1/counties/", "%C3%A9"),
		inTarget("path/segments", "/v1", "/x"),
		inTarget("path/fragment", "/v1/filings#", "#"),
		inTarget("path/legacy", "/v1/liens/", "é"),
		inTarget("query/unknown names", "/v1/filings?", "a%d&"),
		inTarget("query/one name", "/v1/filings?county=", "x"),
		inTarget("query/empty", "/v1/filings?", "&"),
		inTarget("query/escapes", "/v1/filings?county=", "%41"),
		inTarget("query/repeated", "/v1/filings?", "county=a&"),
		inTarget("query/token repeated", "/v1/filings?", "token=a&"),
		inTarget("query/token", "/v1/filings?token=ak_pub_", "eyJh"),
		inTarget("query/cursor", "/v1/filings?limit=1000&cursor=", "AAAA"),
		inTarget("query/cursors", "/v1/filings?", "cursor=*&"),
		inTarget("query/nulls", "/v1/filings?", "%00=%00&"),
		inTarget("query/no escapes", "/v1/filings?a=", "%"),
		inTarget("document/paths", "/openapi.json?paths=", "/v1/filings,"),
		inTarget("document/names", "/openapi.json?", "a%d&"),
		inHeader("headers/lines", "/v1/filings", "", "A%d: b\r\n"),
		inHeader("headers/same lines", "/v1/filings", "", "Prefer: a\r\n"),
		inHeader("headers/keys", "/v1/filings", "", "X-API-Key: a\r\n"),
		inHeader("header/X-API-Key", "/v1/filings", "X-API-Key: ", "k"),
		inHeader("header/Authorization", "/v1/filings", "Authorization: Bearer ", "k "),
		inHeader("header/Accept", "/docs", "Accept: ", "a/b%d;q=0.5,"),
		inHeader("header/Accept-Encoding", "/docs", "Accept-Encoding: ", "a%d;q=1,"),
		inHeader("header/Accept-Encoding ;", "/docs", "Accept-Encoding: a", ";q=1"),
		inHeader("header/If-None-Match", "/docs", "If-None-Match: ", `"a", `),
		inHeader("header/If-None-Match W", "/docs", "If-None-Match: ", `W/"", `),
		inHeader("header/Prefer", "/v1/filings", "Prefer: ", "a=b;c, "),
		inHeader("header/Origin", "/v1/filings", "Origin: ", "https://a."),
		inHeader("header/Referer", "/v1/filings?token=ak_pub_x.y", "Referer: https://a/", "%41?#"),
		inHeader("header/Cookie", "/v1/filings", "Cookie: ", "a%d=b; "),
		inHeader("header/X-Forwarded-For", "/v1/filings", "X-Forwarded-For: ", "10.0.0.1, "),
		inHeader("header/X-Forwarded-For lines", "/v1/filings", "", "X-Forwarded-For: 10.0.0.1\r\n"),
		inHeader("header/X-Forwarded-For 6", "/v1/filings", "X-Forwarded-For: ", "1::, "),
		inHeader("header/tracestate", "/v1/filings", traced+"tracestate: ", "a%d=b,"),
		{name: "header/Host", most: mostHead, send: func(n int) string {
			return "GET /v1/filings HTTP/1.1\r\nHost: " + filled("h.", n) + "\r\n\r\n"
		}},
		inHeader("header/Content-Type", "/v1/filings", "Content-Type: ", "a;b=c"),
		{name: "preflight", most: mostHead, send: func(n int) string {
			return "OPTIONS /v1/filings HTTP/1.1\r\nHost: h\r\nOrigin: https://a\r\nAccess-Control-Request-Method: GET\r\n" +
				"Access-Control-Request-Headers: " + filled("a,", n) + "\r\n\r\n"
		}},
		{name: "method", most: mostHead, send: func(n int) string {
			return filled("M", n) + " /v1/filings HTTP/1.1\r\nHost: h\r\n\r\n"
		}},
		{name: "plain/path", most: mostHead, app: "plain", send: inTarget("", "/", `"/`).send},
		{name: "plain/query", most: mostHead, app: "plain", send: inTarget("", "/?", `"`).send},
		{name: "plain/X-Forwarded-Proto", most: mostHead, app: "plain",
			send: inHeader("", "/", "X-Forwarded-Proto: ", "https,").send},
		{name: "cursor/unknown names", most: mostHead, send: held("a%d&")},
		{name: "cursor/repeated", most: mostHead, send: held("filing_types=a&")},
	}
	for _, list := range []struct{ name, piece string }{
		{"filing_types", "a%d,"},
		{"filing_types", ","},
		{"ids", "%d,"},
		{"exclude_counties", "a%d;"},
		{"exclude_counties", "a%2C"},
		{"exclude_holders", "a%d;"},
		{"fields", "id,"},
		{"polygon", "28.5,-81.4;"},
		{"owner", "a.+"},
		{"owner", "%C3%A9"},
		{"address", "1+a;"},
		{"address", "12+st+x+%23"},
		{"q", "+a"},
		{"county", "A,+"},
		{"city", "%EF%AC%80"},
		{"categories", "land,"},
		{"limit", "9"},
		{"min_amount", "1"},
		{"holder", "%C4%B0"},
		{"property_type", "a"},
		{"fields", "x"},
		{"near", "1,"},
		{"sort_by", "x"},
		{"generation", "1"},
	} {
		target := "/v1/filings?limit=1000&cursor=*&" + list.name + "="
		all = append(all, inTarget("priced/"+list.name+" "+list.piece, target, list.piece))
	}
	all = append(all,
		inTarget("priced/owners q", "/v1/owners?limit=1000&cursor=*&q=", "a+"),
		inTarget("priced/search q", "/v1/filings/search?limit=1000&cursor=*&q=", "+a"))
	for _, m := range []struct{ name, before, piece, after string }{
		{"items", call + `{"ids":[`, `%d,`, `0]}}}`},
		{"texts", call + `{"filing_types":[`, `"a%d",`, `0]}}}`},
		{"arguments", call + `{`, `"a%d":1,`, `"a":1}}}`},
		{"one argument", call + `{`, `"a":1,`, `"a":1}}}`},
		{"escapes", call + `{"q":"`, `\n`, `"}}}`},
		{"surrogates", call + `{"q":"`, `\ud83c\udf1e`, `"}}}`},
		{"blanks", call + `{"q":1`, " ", `}}}`},
		{"members", `{"jsonrpc":"2.0","id":1,"method":"ping"`, `,"a%d":1`, `}`},
		{"params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_filing"`, `,"a%d":1`, `}}`},
		{"meta", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1`, `,"a%d":1`, `}}}`},
		{"id", `{"jsonrpc":"2.0","method":"ping","id":`, "1", `}`},
		{"method", `{"jsonrpc":"2.0","id":1,"method":"`, "m", `"}`},
		{"open lists", call, "[", ""},
		{"open objects", call, `{"a":`, ""},
		{"open texts", call, `"`, ""},
		{"text list", call + `{"ids":"[`, `\"a%d\",`, `0]"}}}`},
		{"text of lists", call + `{"ids":"`, `[`, `"}}}`},
		{"batch", "[", `{},`, `{}]`},
	} {
		all = append(all, inBody("message/"+m.name, "/mcp", m.before, m.piece, m.after, mostMessage))
	}
	nested := func(open, inner, shut string) func(n int) string {
		return func(n int) string {
			depth := min((n-300)/(len(open)+len(shut)), 9990)
			before, after := call+`{"ids":`+strings.Repeat(open, depth)+inner, strings.Repeat(shut, depth)+"}}}"
			return inBody("", "/mcp", before, " ", after, 0).send(n)
		}
	}
	all = append(all, stranger{name: "message/nested lists", most: mostMessage, send: nested("[", "", "]")},
		stranger{name: "message/nested objects", most: mostMessage, send: nested(`{"a":`, "1", "}")})
	for _, m := range []struct{ name, before, piece, after string }{
		{"members", `{`, `"a%d":"",`, `"a":""}`},
		{"one member", `{`, `"user":"a",`, `"user":"a"}`},
		{"text", `{"user":"`, `\n`, `"}`},
		{"nested", `{"user":`, `[`, ``},
		{"blanks", `{`, ` `, `}`},
	} {
		s := inBody("accounts/"+m.name, "/accounts", m.before, m.piece, m.after, mostAccounts)
		s.app = "operations"
		all = append(all, s)
	}
	bearer := "Authorization: Bearer " + strings.Repeat("t", 32) + "\r\n\r\n"
	return append(all, stranger{name: "accounts/user", most: mostHead, app: "operations", send: func(n int) string {
		return "GET /accounts/" + filled("%41", n) + " HTTP/1.1\r\nHost: h\r\n" + bearer
	}}, stranger{name: "accounts/token", most: mostHead, app: "operations",
		send: inHeader("", "/accounts", bearer[:21], "t").send})
}

// cpu is how much the process has used, whatever else the machine does.
func cpu(b *testing.B) time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkStranger measures what the texts cost that anybody can send, without a key that is
// valid, at sizes that double. Where the text of double size takes more than twice the time, that
// is a way to keep the service busy.
//
//	go test -run '^$' -bench BenchmarkStranger -benchtime 20x ./service/apitest
func BenchmarkStranger(b *testing.B) {
	s := newSite(b, oracle(fixture(b)), func(c *service.Config) {
		c.Log, c.MCP, c.OperationsToken = nil, true, strings.Repeat("t", 32)
		c.Access = strange{c.Access}
		c.CORSOrigins = []string{"https://maps.example.com"}
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")} // the address of a request without a connection
		c.Tracer = tracing.New(trace.NewTracerProvider())
	})
	handlers := map[string]fasthttp.RequestHandler{}
	plain, operations := s.Service.Redirect(443), s.Service.Operations()
	for name, app := range map[string]*fiber.App{"": s.App, "plain": plain, "operations": operations} {
		app.Handler() // makes its routes ready
		handlers[name] = app.Server().Handler
	}
	for _, text := range strangers() {
		for _, n := range []int{1 << 10, text.most / 4, text.most / 2, text.most} {
			b.Run(fmt.Sprintf("%s/%d", text.name, n), func(b *testing.B) {
				var c fasthttp.RequestCtx
				request := text.send(n)
				var reader strings.Reader
				buffered := bufio.NewReaderSize(&reader, 16<<10)
				began := cpu(b)
				for b.Loop() {
					reader.Reset(request)
					buffered.Reset(&reader)
					c.Request.Reset()
					c.Response.Reset()
					if err := c.Request.Read(buffered); err != nil {
						b.Fatal(err)
					}
					handlers[text.app](&c)
				}
				b.ReportMetric(float64(c.Response.StatusCode()), "status")
				b.ReportMetric(float64((cpu(b)-began).Microseconds())/float64(b.N), "cpu-µs/op")
			})
		}
	}
}
