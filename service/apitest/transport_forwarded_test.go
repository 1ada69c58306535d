package apitest

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"filings/service"
	"filings/service/access"
)

// TestT1_ForwardedFor: a client is who the proxy says it is, in each form that proxies write. What
// is no address is logged once.
func TestT1_ForwardedFor(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newSite(t, oracle(fixture(t)), func(c *service.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/8")}
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
	})
	for forwarded, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "192.0.2.7:4711": "192.0.2.7", `"192.0.2.7:4711"`: "192.0.2.7", "[2001:db8::1]:4711": "2001:db8::1",
		"[2001:db8::1]": "2001:db8::1", `"[2001:db8::1]:4711"`: "2001:db8::1", `"2001:db8::1"`: "2001:db8::1", "evil, 192.0.2.7:1": "192.0.2.7",
		"[::ffff:192.0.2.7]:80": "192.0.2.7", "fe80::1%eth0": "fe80::1",
	} {
		s.clock.Advance(time.Second)
		log.Reset()
		s.get(t, access.Enterprise, "/v1/me", "X-Forwarded-For", forwarded)
		if !strings.Contains(log.String(), `"client":"`+want+`"`) || strings.Contains(log.String(), "WARN") {
			t.Errorf("%s: %s", forwarded, log.String())
		}
	}
	log.Reset()
	for _, forwarded := range []string{"unknown", "_hidden", "192.0.2.7:", "[192.0.2.7", "192.0.2.7, ", `"`} {
		s.get(t, access.Enterprise, "/v1/me", "X-Forwarded-For", forwarded)
	}
	if text := log.String(); strings.Count(text, `"level":"WARN"`) != 1 || strings.Count(text, `"client":"0.0.0.0"`) < 6 {
		t.Error(text)
	}
}

// TestX33_Unreadable: the page of a token whose signature is wrong can read that.
func TestX33_Unreadable(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	token := s.token(t, access.Pro, "")
	a := s.visit(t, token[:len(token)-4]+"AAAA", "/v1/filings")
	if a.status != http.StatusUnauthorized || a.header.Get("Access-Control-Allow-Origin") != pageOrigin || !strings.Contains(a.body, "signature") {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	a = talk(t, s.App, "GET /v1/filings?token="+strings.Repeat("a", 20<<10)+" HTTP/1.1\r\nHost: a\r\nOrigin: "+pageOrigin+"\r\n\r\n")
	if a.status != http.StatusRequestHeaderFieldsTooLarge || a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
}

// TestT4_Hosts: on a loopback address the operations listener takes names of this machine alone, as
// pages elsewhere give theirs to it.
func TestT4_Hosts(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := s.Service.Operations()
	go func() { _ = app.Listener(listener) }()
	t.Cleanup(func() { _ = app.Shutdown() })
	for host, status := range map[string]int{
		"127.0.0.1:9090": 200, "localhost": 200, "LOCALHOST:1": 200, "[::1]:9090": 200, "127.8.8.8": 200,
		"evil.example": 403, "evil.example:9090": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "127.0.0.1.evil.example": 403,
	} {
		for _, path := range []string{"/livez", "/readyz", "/metrics"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != status {
				t.Errorf("%s of %s: %d, want %d", path, host, response.StatusCode, status)
			}
		}
	}
	if a := send(t, s.Service.Operations(), http.MethodGet, "/livez", "Host", "10.1.2.3:9090"); a.status != http.StatusOK { // whose address is no loopback address
		t.Errorf("of a pod: %d %s", a.status, a.body)
	}
}
