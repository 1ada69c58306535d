package apitest

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"filings/service"
	"filings/service/access"
)

func TestT1_Redirect(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for _, tt := range []struct {
		name, host, target string
		port               int
		want               string // "": 400
	}{
		{"standard port", "api.example.com", "/v1/filings", 443, "https://api.example.com/v1/filings"},
		{"another port", "api.example.com:8080", "/v1/filings", 8443, "https://api.example.com:8443/v1/filings"},
		{"the port of the plain listener goes", "api.example.com:80", "/", 443, "https://api.example.com/"},
		{"IPv4", "127.0.0.1:8080", "/v1/me", 8443, "https://127.0.0.1:8443/v1/me"},
		{"IPv6", "[::1]:8080", "/v1/me", 8443, "https://[::1]:8443/v1/me"},
		{"IPv6 without a port", "[::1]", "/v1/me", 443, "https://[::1]/v1/me"},
		{"untouched", "h", "/v1/counties/Orange%2C%20FL/months?a=%zz&b=;&c=%2B+", 443, "https://h/v1/counties/Orange%2C%20FL/months?a=%zz&b=;&c=%2B+"},
		{"what is in no URL", "h", "/a<\xff?\">{|}^`\\", 443, "https://h/a%3C%FF?%22%3E%7B%7C%7D%5E%60%5C"},
		{"control characters", "h", "/a\x01", 443, ""},
		{"untouched dots and slashes", "h", "//x/../y//?", 443, "https://h//x/../y//"},
		{"no host", "", "/", 443, ""},
		{"no host name", "a/b", "/", 443, ""},
		{"a user is left out", "user@h", "/", 443, "https://h/"},
		{"port", "h:80x", "/", 443, ""},
	} {
		t.Run("T1 "+tt.name, func(t *testing.T) {
			t.Parallel()
			app := s.Service.Redirect(tt.port)
			for _, method := range []string{"GET", "HEAD", "POST", "BREW"} {
				a := talk(t, app, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\nX-Forwarded-Proto: https\r\n\r\n", method, tt.target, tt.host))
				if tt.want == "" {
					if a.status != http.StatusBadRequest {
						t.Errorf("%s: %d %v", method, a.status, a.header)
					}
					continue
				}
				if got := a.header.Get("Location"); a.status != http.StatusPermanentRedirect || got != tt.want {
					t.Errorf("%s: %d %q, want %q", method, a.status, got, tt.want)
				}
			}
		})
	}
}

// TestT1_TrustedProxies: app.Test's peer is 0.0.0.0.
func TestT1_TrustedProxies(t *testing.T) {
	t.Parallel()
	trusting := func(prefix string) *site {
		return newSite(t, oracle(fixture(t)), func(c *service.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(prefix)} })
	}
	near, far := trusting("0.0.0.0/8"), trusting("10.0.0.0/8")
	for _, tt := range []struct {
		name    string
		site    *site
		headers []string
		status  int
	}{
		{"trusted and https", near, []string{"X-Forwarded-Proto", "https"}, 200},
		{"trusted and HTTPS", near, []string{"X-Forwarded-Proto", "HTTPS"}, 200},
		{"trusted and http", near, []string{"X-Forwarded-Proto", "http"}, 308},
		{"trusted and silent", near, nil, 308},
		{"trusted and of two minds", near, []string{"X-Forwarded-Proto", "https", "X-Forwarded-Proto", "http"}, 200},
		{"trusted and a list", near, []string{"X-Forwarded-Proto", "https,http"}, 200},
		{"trusted and a list of http", near, []string{"X-Forwarded-Proto", "http, https"}, 308},
		{"not trusted, and a list", far, []string{"X-Forwarded-Proto", "https, http"}, 308},
		{"not trusted", far, []string{"X-Forwarded-Proto", "https"}, 308},
	} {
		t.Run("T1 "+tt.name, func(t *testing.T) {
			t.Parallel()
			headers := append(tt.headers, "X-API-Key", tt.site.Keys[access.Free])
			a := send(t, tt.site.Service.Redirect(443), http.MethodGet, "/v1/filings/1", headers...)
			if a.status != tt.status {
				t.Fatalf("%d %s, want %d", a.status, a.body, tt.status)
			}
			if tt.status == http.StatusOK && (!strings.Contains(a.body, `"success":true`) || a.header.Get("Strict-Transport-Security") == "") {
				t.Errorf("not the API's response: %v %s", a.header, a.body)
			}
		})
	}
	a := send(t, near.Service.Redirect(443), http.MethodGet, "/v1/filings/1", "X-Forwarded-Proto", "https")
	if a.status != http.StatusUnauthorized {
		t.Errorf("through a proxy without a key: %d", a.status)
	}
	a = send(t, near.Service.Redirect(443), "BREW", "/v1/me", "X-Forwarded-Proto", "https", "X-API-Key", near.Keys[access.Free])
	if a.status != http.StatusMethodNotAllowed {
		t.Errorf("a method of no meaning, through a proxy: %d", a.status)
	}
}

func TestT1_HSTS(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for _, tier := range []access.Tier{access.Free, ""} {
		a := s.get(t, tier, "/v1/me")
		if got := a.header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("Strict-Transport-Security %q", got)
		}
		if got := a.header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("X-Content-Type-Options %q", got)
		}
		if got := a.header.Get("Server"); got != "" {
			t.Errorf("Server %q", got)
		}
	}
}

func TestT2_CORS(t *testing.T) {
	t.Parallel()
	allow := func(origins ...string) *site {
		return newSite(t, oracle(nil), func(c *service.Config) { c.CORSOrigins = origins })
	}
	none, some, any := allow(), allow("https://a.example", "https://b.example"), allow("*")
	for _, tt := range []struct {
		name   string
		site   *site
		origin string
		want   string
	}{
		{"none", none, "https://a.example", ""},
		{"listed", some, "https://a.example", "https://a.example"},
		{"listed second", some, "https://b.example", "https://b.example"},
		{"not listed", some, "https://a.example.evil", ""},
		{"another scheme", some, "http://a.example", ""},
		{"null", some, "null", ""},
		{"any", any, "https://x.example", "*"},
	} {
		t.Run("T2 "+tt.name, func(t *testing.T) {
			t.Parallel()
			preflight := []string{"Origin", tt.origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-api-key"}
			a := send(t, tt.site.App, http.MethodOptions, "/v1/filings", preflight...)
			if got := a.header.Get("Access-Control-Allow-Origin"); a.status != http.StatusNoContent || got != tt.want {
				t.Errorf("preflight: %d, allows %q, want %q", a.status, got, tt.want)
			}
			allowed := a.header.Get("Access-Control-Allow-Headers")
			for _, name := range []string{"X-API-Key", "Authorization", "If-None-Match", "Prefer",
				"Content-Type"} { // which many programs send
				if (tt.want != "") != strings.Contains(allowed+",", name+",") {
					t.Errorf("preflight allows %q: %s", allowed, name)
				}
			}
			if (tt.want != "") != (a.header.Get("Access-Control-Allow-Methods") == "GET, HEAD") {
				t.Errorf("preflight allows %q", a.header.Get("Access-Control-Allow-Methods"))
			}
			for _, tier := range []access.Tier{access.Free, ""} {
				a := tt.site.get(t, tier, "/v1/me", "Origin", tt.origin)
				if got := a.header.Get("Access-Control-Allow-Origin"); got != tt.want {
					t.Errorf("response allows %q, want %q", got, tt.want)
				}
				exposed := a.header.Get("Access-Control-Expose-Headers")
				for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit,", "Retry-After", "X-Request-ID",
					"X-Ignored-Parameters", "ETag", "Deprecation", "Link"} {
					if (tt.want != "") != strings.Contains(exposed, name) {
						t.Errorf("%s in %q", name, exposed)
					}
				}
			}
			if vary := a.header.Get("Vary"); strings.Contains(vary, "Origin") != (tt.site == some) {
				t.Errorf("Vary %q", vary)
			}
		})
	}
	used, err := some.Store.Show(t.Context(), "user-free")
	if err != nil || used.Used > 4 {
		t.Errorf("preflights were counted: %+v, %v", used, err)
	}
	if a := send(t, some.App, http.MethodOptions, "/v1/filings"); a.status != http.StatusUnauthorized {
		t.Errorf("OPTIONS that is no preflight: %d", a.status)
	}
}

func TestE3_Methods(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for path := range paths {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"} {
			a := s.do(t, method, access.Free, path)
			if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "GET, HEAD" || a.document(t).Error.Code != "method_not_allowed" {
				t.Errorf("%s %s: %d, Allow %q, %s", method, path, a.status, a.header.Get("Allow"), a.body)
			}
		}
		get, head := s.get(t, access.Free, path), s.do(t, http.MethodHead, access.Free, path)
		if head.status != http.StatusOK || head.body != "" || head.header.Get("ETag") != get.header.Get("ETag") {
			t.Errorf("HEAD %s: %d %q %v", path, head.status, head.body, head.header)
		}
	}
	if a := s.do(t, "POST", access.Free, "/v1/nothing"); a.status != http.StatusNotFound {
		t.Errorf("POST to no path: %d", a.status)
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(many(t, 30)))
	plain := s.get(t, access.Free, "/v1/filings")
	for _, tt := range []struct{ accept, want string }{
		{"gzip", "gzip"}, {"br", "br"}, {"gzip, deflate, br", "gzip"}, {"br;q=1, gzip;q=0.5", "br"}, {"gzip;q=0", ""}, {"*", "gzip"},
		{"gzip;q=0, *", "br"}, {"identity", ""}, {"", ""}, {"GZIP", "gzip"}, {"gzip;q=x", ""},
	} {
		a := s.get(t, access.Free, "/v1/filings", "Accept-Encoding", tt.accept)
		if got := a.header.Get("Content-Encoding"); got != tt.want {
			t.Errorf("%q: Content-Encoding %q, want %q", tt.accept, got, tt.want)
			continue
		}
		if got := decoded(t, a); moving.ReplaceAllString(got, "") != moving.ReplaceAllString(plain.body, "") {
			t.Errorf("%q: the body became %.100q", tt.accept, got)
		}
		if a.header.Get("ETag") != plain.header.Get("ETag") || !strings.Contains(a.header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%q: %v", tt.accept, a.header)
		}
	}
	if a := s.get(t, access.Free, "/v1/me", "Accept-Encoding", "gzip"); a.header.Get("Content-Encoding") != "" {
		t.Error("a small body is compressed")
	}
	if a := s.do(t, http.MethodHead, access.Free, "/v1/filings", "Accept-Encoding", "gzip"); a.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("HEAD differs from GET: %v", a.header)
	}
}

func decoded(t *testing.T, a response) string {
	t.Helper()
	switch a.header.Get("Content-Encoding") {
	case "gzip":
		r, err := gzip.NewReader(strings.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	case "br":
		body, err := fasthttp.AppendUnbrotliBytes(nil, []byte(a.body))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	return a.body
}

// talk sends raw bytes over a connection in memory and reads one response.
func talk(t *testing.T, app *fiber.App, request string) response {
	t.Helper()
	l := fasthttputil.NewInmemoryListener()
	served := make(chan error, 1)
	go func() { served <- app.Listener(l) }()
	conn, err := l.Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = conn.Close()
		_ = l.Close()
		<-served
	}()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	go func(c net.Conn) { _, _ = io.WriteString(c, request) }(conn) // the server may stop reading
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, string(body)}
}

// TestE2_NotHTTP: what is refused before there is a request, is refused in the same form.
func TestE2_NotHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for _, tt := range []struct {
		name, request string
		status        int
	}{
		{"no HTTP", "nonsense\r\n\r\n", 400},
		{"a line without a colon at the end", "GET /v1/me HTTP/1.1\r\nHost: h\r\nnonsense\r\n\r\n", 400},
		{"the word that means too slow", "GET /v1/me HTTP/1.1\r\nHost: h\r\ntimeout\r\n\r\n", 400},
		{"long query", "GET /v1/filings?q=" + strings.Repeat("a", 20_000) + " HTTP/1.1\r\nHost: h\r\n\r\n", 431},
		{"long header", "GET /v1/filings HTTP/1.1\r\nHost: h\r\nX-API-Key: " + strings.Repeat("a", 20_000) + "\r\n\r\n", 431},
		{"many headers", "GET /v1/filings HTTP/1.1\r\nHost: h\r\n" + strings.Repeat("X-A: b\r\n", 4_000) + "\r\n", 431},
		{"large body", "GET /v1/filings HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("a", 5000), 413},
		{"body in chunks", "GET /v1/filings HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\n" + strings.Repeat("a", 5000) + "\r\n0\r\n\r\n", 400},
		{"control characters in the path", "GET /v1/filings/\x01 HTTP/1.1\r\nHost: h\r\nX-API-Key: " + s.Keys[access.Free] + "\r\n\r\n", 400},
		{"control characters in the query", "GET /v1/filings?city=\x01 HTTP/1.1\r\nHost: h\r\nX-API-Key: " + s.Keys[access.Free] + "\r\n\r\n", 400},
		{"host", "GET /v1/me HTTP/1.1\r\nHost: a b\r\nX-API-Key: " + s.Keys[access.Free] + "\r\n\r\n", 400},
		{"small body", "GET /v1/filings HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 401},
	} {
		t.Run("E2 "+tt.name, func(t *testing.T) {
			t.Parallel()
			a := talk(t, s.Service.API(), tt.request)
			if a.status != tt.status {
				t.Fatalf("%d %s, want %d", a.status, a.body, tt.status)
			}
			if id := a.header.Get("X-Request-ID"); id == "" || !strings.Contains(s.Log.String(), id) {
				t.Errorf("request id %q", id)
			}
			if tt.status == http.StatusUnauthorized {
				checkFlat(t, a, "invalid_api_key")
			} else if d := a.document(t); d.Error == nil || d.Error.Code != "invalid_parameter" {
				t.Errorf("body %s", a.body)
			}
		})
	}
}
