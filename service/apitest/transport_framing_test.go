package apitest

import (
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/service"
	"filings/service/access"
	"filings/service/edge"
)

// listenPlain serves app on a socket without TLS until the test ends, and returns its address.
func listenPlain(t *testing.T, app *fiber.App) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(edge.Listen(l, 1000)) }()
	t.Cleanup(func() {
		if err := app.ShutdownWithTimeout(30 * time.Second); err != nil {
			t.Errorf("shut down: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("listener: %v", err)
		}
	})
	return l.Addr().String()
}

func dialPlain(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// TestE2_Framing: what can be read in two ways is refused, and what follows on its connection is not answered, on every
// listener. Chunks are refused whatever they look like: their sizes, extensions and trailers are never read, so that no
// trailer is a header: neither a key nor X-Forwarded-Proto.
func TestE2_Framing(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef0123456789abcdef"
	s := newSite(t, oracle(fixture(t)), func(c *service.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		c.OperationsToken = token
	})
	key := "X-API-Key: " + s.Keys[access.Free] + "\r\n"
	https := "X-Forwarded-Proto: https\r\n"
	tls, plain := listenTLS(t, s.App), listenPlain(t, s.Service.Redirect(443))
	operations := listenPlain(t, s.Service.Operations())
	for _, listener := range []struct {
		name, target, lines string
		send                func(request string) []response
		good                int
	}{
		{"API", "/v1/me", key, func(r string) []response { return tls.raw(t, r) }, 200},
		{"redirect", "/v1/me", "", func(r string) []response { return talkRaw(t, dialPlain(t, plain), r) }, 308},
		{"proxy", "/v1/me", key + https, func(r string) []response { return talkRaw(t, dialPlain(t, plain), r) }, 200},
		{"operations", "/livez", "", func(r string) []response { return talkRaw(t, dialPlain(t, operations), r) }, 200},
		{"accounts", "/accounts", "Authorization: Bearer " + token + "\r\n", func(r string) []response { return talkRaw(t, dialPlain(t, operations), r) }, 200},
	} {
		request := func(lines string) string {
			return "GET " + listener.target + " HTTP/1.1\r\nHost: localhost\r\n" + listener.lines + lines + "\r\n"
		}
		chunked := func(body string) string { return request("Transfer-Encoding: chunked\r\n") + body }
		inner, good, last := request(""), strconv.Itoa(listener.good), request("Connection: close\r\n")
		for _, tt := range []struct{ name, request, want string }{
			{"two requests", inner + last, good + " " + good},
			{"a length", request("Content-Length: 3\r\n") + "abc" + last, good + " " + good},
			{"two lengths", request("Content-Length: 3\r\nContent-Length: 100\r\n") + "abc" + inner, "400"},
			{"length and chunks", request("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + inner, "400"},
			{"a blank before the colon", request("Content-Length : 3\r\n") + "abc" + inner, "400"},
			{"a folded line", request("X: a\r\n Content-Length: 3\r\n") + "abc" + inner, "400"},
			{"no colon", request("nonsense\r\n"), "400"},
			{"a line that ends with LF alone", request("X: a\n") + inner, "400"},
			{"an empty line of LF alone", strings.TrimSuffix(inner, "\r\n") + "\n" + inner, "400"},
			{"LFs alone", strings.ReplaceAll(inner, "\r\n", "\n") + inner, "400"},
			{"two hosts", request("Host: i\r\n") + inner, "400"},
			{"0x", chunked("0x5e\r\n" + inner), "400"},
			{"0zzz", chunked("0zzz\r\n\r\n" + inner), "400"},
			{"a size and control characters", chunked("2 q\x01\x02\r\nab\r\n0\r\n\r\n" + inner), "400"},
			{"an extension with a line feed", chunked("2;\nxx\r\nab\r\n0\r\n\r\n" + inner), "400"},
			{"honest chunks", chunked("3\r\nabc\r\n0\r\n\r\n" + inner), "400"},
			{"an unfinished chunk", chunked("ff\r\n"), "400"},
			{"a trailer", chunked("0\r\nX-Evil: 1\r\n\r\n" + inner), "400"},
			{"an announced trailer", request("Trailer: X-Evil\r\nTransfer-Encoding: chunked\r\n") + "0\r\nX-Evil: 1\r\n\r\n" + inner, "400"},
		} {
			t.Run(listener.name+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				var got []string
				for _, a := range listener.send(tt.request) {
					got = append(got, strconv.Itoa(a.status))
				}
				if got := strings.Join(got, " "); got != tt.want {
					t.Errorf("responses %q, want %q", got, tt.want)
				}
			})
		}
	}

	t.Run("a key as a trailer", func(t *testing.T) {
		t.Parallel()
		all := tls.raw(t, "GET /v1/me HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"+key+"\r\n")
		if len(all) != 1 || all[0].status != 400 || !strings.Contains(all[0].body, "Transfer-Encoding") || all[0].header.Get("X-RateLimit-Limit") != "" {
			t.Errorf("%+v", all)
		}
	})
	t.Run("a trailer says HTTPS", func(t *testing.T) {
		t.Parallel()
		request := "GET /v1/me HTTP/1.1\r\nHost: h\r\n" + key + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + https + "\r\n"
		if all := talkRaw(t, dialPlain(t, plain), request); len(all) != 1 || all[0].status != 400 || all[0].header.Get("X-Request-ID") != "" {
			t.Errorf("%+v", all)
		}
	})
}

// TestE2_PlainIdle: no listener sends anything on a connection on which no request came.
func TestE2_PlainIdle(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for name, app := range map[string]*fiber.App{"redirect": s.Service.Redirect(443), "operations": s.Service.Operations()} {
		app.Server().ReadTimeout = 250 * time.Millisecond
		conn := dialPlain(t, listenPlain(t, app))
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		if all, err := io.ReadAll(conn); err != nil || len(all) > 0 {
			t.Errorf("%s: %q, %v; want silence and the end", name, all, err)
		}
	}
}

// TestE2_SlowHeads: the plain listeners send 408 when a request began and did not end. An empty
// line of LF alone is no end.
func TestE2_SlowHeads(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for name, app := range map[string]*fiber.App{"redirect": s.Service.Redirect(443), "operations": s.Service.Operations()} {
		app.Server().ReadTimeout = 250 * time.Millisecond
		address := listenPlain(t, app)
		for _, head := range []string{"GET / HT", "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: h\r\n\n"} {
			if all := talkWhole(t, dialPlain(t, address), head); !strings.HasPrefix(all, "HTTP/1.1 408 ") {
				t.Errorf("%s: %q to %q, want a 408", name, all, head)
			}
		}
	}
}

// talkWhole sends a text, leaves the connection open, and returns what comes until the service closes it.
func talkWhole(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	return string(all)
}
