package apitest

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"filings/index"
	"filings/service"
	"filings/service/access"
)

// raw sends bytes as they are, ends its side, and returns all responses until the service closes. It must
// close the connection, or respond to a request that asks for that: one that hangs fails the test.
func (d *door) raw(t testing.TB, request string) (all []response) {
	t.Helper()
	conn, err := tls.Dial("tcp", d.Address, d.Trust)
	if err != nil {
		t.Fatal(err)
	}
	return talkRaw(t, conn, request)
}

// talkRaw is raw over a connection, which it closes.
func talkRaw(t testing.TB, conn interface {
	net.Conn
	CloseWrite() error
}, request string) (all []response) {
	t.Helper()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	go func() {
		_, _ = io.WriteString(conn, request) // the service may stop reading
		_ = conn.CloseWrite()
	}()
	from := bufio.NewReader(conn)
	for {
		if _, err := from.Peek(1); err != nil {
			if ne, ok := err.(interface{ Timeout() bool }); ok && ne.Timeout() {
				t.Errorf("the connection hangs after %d responses", len(all))
			}
			return all
		}
		res, err := http.ReadResponse(from, nil)
		if err != nil {
			return all
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return all
		}
		all = append(all, response{res.StatusCode, res.Header, string(body)})
	}
}

// TestE2_Hostile sends what no honest client does over a real connection. The responses' statuses are in the order of the
// requests that the service sees: where a second one hides in the first (inner is for a filing that is not there, a
// 404), it must never get a response unless there is one way only to read the bytes.
func TestE2_Hostile(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	d := listenTLS(t, s.App)
	key := "X-API-Key: " + s.Keys[access.Free] + "\r\n"
	inner := "GET /v1/filings/77 HTTP/1.1\r\nHost: h\r\n" + key + "\r\n"
	head := func(lines string) string { return "GET /v1/me HTTP/1.1\r\nHost: h\r\n" + key + lines + "\r\n" }
	target := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: h\r\n" + key + "\r\n" }
	for _, tt := range []struct{ name, request, want string }{
		{"length and chunks", head("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + inner, "400"},
		{"chunks and length", head("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n") + "0\r\n\r\n" + inner, "400"},
		{"two lengths, short first", head("Content-Length: 3\r\nContent-Length: 100\r\n") + "abc" + inner, "400"},
		{"two lengths, long first", head("Content-Length: 100\r\nContent-Length: 3\r\n") + "abc" + inner, "400"},
		{"one length twice", head("Content-Length: 3\r\nContent-Length: 3\r\n") + "abc" + inner, "400"},
		{"a list of lengths", head("Content-Length: 3, 3\r\n") + "abc" + inner, "400"},
		{"negative length", head("Content-Length: -3\r\n") + "abc" + inner, "400"},
		{"signed length", head("Content-Length: +3\r\n") + "abc" + inner, "400"},
		{"hexadecimal length", head("Content-Length: 0x3\r\n") + "abc" + inner, "400"},
		{"a length too long", head("Content-Length: 100\r\n") + "abc", "400"},
		{"a blank before the colon of a length", head("Content-Length : 3\r\n") + "abc" + inner, "400"},
		{"a blank before the colon of a coding", head("Transfer-Encoding : chunked\r\n") + "0\r\n\r\n" + inner, "400"},
		{"unknown coding", head("Transfer-Encoding: xchunked\r\n") + "0\r\n\r\n" + inner, "400"},
		{"two codings", head("Transfer-Encoding: chunked, identity\r\n") + "0\r\n\r\n" + inner, "400"},
		{"two codings, two lines", head("Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n") + "0\r\n\r\n" + inner, "400"},
		{"chunks of HTTP/1.0", "GET /v1/me HTTP/1.0\r\nConnection: keep-alive\r\n" + key + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner, "400"},
		{"honest chunks", head("Transfer-Encoding: Chunked\r\n") + "3;ext=1\r\nabc\r\n0\r\n\r\n" + inner, "400"},
		{"chunks are expected", head("Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + inner, "400"},
		{"the coding identity", head("Transfer-Encoding: identity\r\n") + inner, "400"},
		{"an honest length", head("Content-Length: 3\r\n") + "abc" + inner, "200 404"},
		{"no chunk", head("Transfer-Encoding: chunked\r\n") + "zz\r\n" + inner, "400"},
		{"negative chunk", head("Transfer-Encoding: chunked\r\n") + "-1\r\n" + inner, "400"},
		{"huge chunk", head("Transfer-Encoding: chunked\r\n") + "fffffffffffffffff\r\n" + inner, "400"},
		{"a chunk too long", head("Transfer-Encoding: chunked\r\n") + "3\r\nabcX\r\n0\r\n\r\n" + inner, "400"},
		{"a folded length", head("X: a\r\n Content-Length: 3\r\n") + "abc" + inner, "400"},
		{"a carriage return", head("X: a\rContent-Length: 3\r\n") + "abc" + inner, "400"},
		{"NUL in a value", head("X: a\x00b\r\n") + inner, "400"},
		{"NUL in a name", head("X\x00: a\r\n") + inner, "400"},
		{"no colon", head("nonsense\r\n") + inner, "400"},
		{"no name", head(": a\r\n") + inner, "400"},
		{"a folded first line", "GET /v1/me HTTP/1.1\r\n Host: h\r\n" + key + "\r\n" + inner, "400"},
		{"a bare line feed", head("X: a\nY: b\r\n") + inner, "400"},
		{"an end of bare line feeds", head("X: a\n\nY: b\r\n") + inner, "400"},
		{"ambiguous without a key", "GET /v1/me HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\nContent-Length: 3\r\n\r\nabc" + inner, "400"},

		{"HTTP/0.9", "GET /v1/me\r\n", "400"},
		{"HTTP/1.0", "GET /v1/me HTTP/1.0\r\n" + key + "\r\n" + inner, "200"},
		{"HTTP/1.0 kept alive", "GET /v1/me HTTP/1.0\r\nConnection: keep-alive\r\n" + key + "\r\n" + inner, "200 404"},
		{"HTTP/9.9", "GET /v1/me HTTP/9.9\r\nHost: h\r\n" + key + "\r\n", "400"},
		{"HTP", "GET /v1/me HTP/1.1\r\nHost: h\r\n" + key + "\r\n", "400"},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"},
		{"no host", "GET /v1/me HTTP/1.1\r\n" + key + "\r\n", "400"},
		{"two hosts", head("Host: i\r\n"), "400"},
		{"two blanks", target(" /v1/me"), "400"},
		{"four words", target("/v1/me x"), "400"},
		{"empty lines first", "\r\n\r\n" + inner, "404"},
		{"nothing", "", ""},

		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: h\r\n" + key + "\r\n", "404"},
		{"CONNECT", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n" + key + "\r\n", "404"},
		{"TRACE", "TRACE /v1/me HTTP/1.1\r\nHost: h\r\n" + key + "\r\n", "405"},
		{"an upgrade to WebSocket", head("Connection: Upgrade\r\nUpgrade: websocket\r\n") + inner, "200 404"},
		{"an upgrade to HTTP/2", head("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n") + inner, "200 404"},
		{"a huge range", head("Range: bytes=0-" + strings.Repeat("9", 1000) + "\r\n"), "200"},
		{"a small body is expected", head("Expect: 100-continue\r\nContent-Length: 3\r\n") + "abc", "100 200"},
		{"two keys", head(key), "401"},
		{"a key with another name", "GET /v1/me HTTP/1.1\r\nHost: h\r\nX_API_Key: " + s.Keys[access.Free] + "\r\n\r\n", "401"},

		{"whole URL", target("http://evil.example/v1/me"), "200"},
		{"another host as path", target("//evil.example/v1/me"), "404"},
		{"no slash", target("v1/me"), "400"},
		{"escaped slash", target("/v1/filings%2F1"), "404"},
		{"dots", target("/v1/x/../me"), "404"},
		{"escaped dots", target("/v1/%2e%2e/v1/me"), "404"},
		{"two slashes", target("/v1//me"), "404"},
		{"escaped NUL", target("/v1/me%00"), "404"},
		{"semicolon", target("/v1/me;x=1"), "404"},
		{"backslash", target(`/v1\me`), "404"},
		{"overlong UTF-8", target("/v1%c0%afme"), "404"},
		{"overlong UTF-8 as a county", target("/v1/counties/%c0%af/months"), "400"},
		{"no escape as a county", target("/v1/counties/%zz/months"), "400"},
		{"dots as a county", target("/v1/counties/../months"), "404"},
		{"NUL in an id", target("/v1/filings/1%00"), "400"},
		{"line feed in a name", target("/v1/filings?a%0d%0aX-Evil:1=1"), "200"},
		{"line feed in a legacy path", target("/v1/liens/%0d%0aX-Evil:1"), "400"},
		{"carriage return in a legacy path", target("/v1/liens/1\rX-Evil:1"), "400"},
		{"line feed in a preference", head("Prefer: handling=strict\rX-Evil: 1\r\n"), "400"},
	} {
		t.Run("E2 "+tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, a := range d.raw(t, tt.request) {
				got = append(got, strconv.Itoa(a.status))
				if evil := a.header.Values("X-Evil"); evil != nil || strings.Contains(a.body, "X-Evil: 1\r\n") {
					t.Errorf("a header of the client's: %v %s", a.header, a.body)
				}
				if a.status >= 400 && a.header.Get("X-Request-ID") == "" {
					t.Errorf("not the service's response: %v %s", a.header, a.body)
				}
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("responses %q, want %q", got, tt.want)
			}
		})
	}
}

// TestE2_SlowClients: a client that never ends its request is cut off, by the one deadline that a whole request has.
func TestE2_SlowClients(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	server := s.App.Server()
	if server.ReadTimeout <= 0 || server.ReadTimeout > 10*time.Second || server.WriteTimeout <= 0 || server.IdleTimeout <= 0 {
		t.Errorf("read %s, write %s, idle %s", server.ReadTimeout, server.WriteTimeout, server.IdleTimeout)
	}
	server.ReadTimeout = 250 * time.Millisecond
	d := listenTLS(t, s.App)
	for name, part := range map[string]string{
		"before the first byte": "",
		"in the request line":   "GET /v1", "in the headers": "GET /v1/me HTTP/1.1\r\nHost: h\r\nX-A", "in the body": "GET /v1/me HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\na",
	} {
		conn, err := tls.Dial("tcp", d.Address, d.Trust)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		if err := conn.HandshakeContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, part); err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(conn)
		if part == "" { // a client that sent nothing gets nothing: it may be about to send a request
			if len(all) > 0 {
				t.Errorf("%s: %q, want silence", name, all)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 408 ") {
			t.Errorf("%s: %q, %v; want a 408 and the end", name, all, err)
		}
	}
}

// counting counts the calls of an engine.
type counting struct {
	index.Engine
	calls atomic.Int64
}

func (e *counting) Live(ctx context.Context) (index.Reader, error) {
	e.calls.Add(1)
	return e.Engine.Live(ctx)
}

func (e *counting) Pin(ctx context.Context, id string) (index.Reader, error) {
	e.calls.Add(1)
	return e.Engine.Pin(ctx, id)
}

// TestK2_WrongKeys: however many wrong keys are tried, the engine is not called, and nothing of them is kept. It is not
// parallel: it measures the memory of the process. `make faults` tries a million.
func TestK2_WrongKeys(t *testing.T) {
	many := 20_000
	if n, err := strconv.Atoi(os.Getenv("TEST_WRONG_KEYS")); err == nil {
		many = n
	}
	engine := &counting{Engine: oracle(fixture(t))}
	s := newSite(t, engine, func(c *service.Config) { c.Log = nil })
	handle := s.App.Handler()
	try := func(n int) {
		for i := range n {
			var c fasthttp.RequestCtx
			var request fasthttp.Request
			text := fmt.Sprintf("GET /v1/filings HTTP/1.1\r\nHost: h\r\nX-API-Key: ak_live_%032x\r\n\r\n", i)
			if err := request.Read(bufio.NewReader(strings.NewReader(text))); err != nil {
				t.Fatal(err)
			}
			c.Init(&request, nil, nil)
			if handle(&c); c.Response.StatusCode() != http.StatusUnauthorized {
				t.Fatalf("%d %s", c.Response.StatusCode(), c.Response.Body())
			}
			runtime.Gosched() // the driver's goroutine ends: many at once leave their descriptors with the runtime
		}
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first leaves what pools hold
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	try(1000)
	before, lines := heap(), strings.Count(send(t, s.Service.Operations(), http.MethodGet, "/metrics").body, "\n")
	began, calls := time.Now(), engine.calls.Load() // by the metrics
	try(many)
	t.Logf("%d wrong keys, %v each", many, time.Since(began)/time.Duration(many))
	if more := engine.calls.Load() - calls; more != 0 {
		t.Errorf("the engine was called %d times", more)
	}
	// A byte a key, beside what goroutines that have ended leave with the runtime.
	if after := heap(); after > before+500_000+uint64(many) {
		t.Errorf("%d bytes of heap became %d", before, after)
	}
	if got := strings.Count(send(t, s.Service.Operations(), http.MethodGet, "/metrics").body, "\n"); got != lines {
		t.Errorf("%d lines of metrics became %d", lines, got)
	}
}
