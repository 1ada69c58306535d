package apitest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"filings/service"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/servicetest"
)

// listen serves the site's API on connections as the program has them: they keep little for a client that does not read,
// and notice that it hangs up.
func (s *site) listen(t *testing.T) *servicetest.Listener {
	t.Helper()
	l, served := servicetest.NewTLS(t), make(chan error, 1)
	go func() { served <- s.App.Listener(edge.Listen(l, 1000)) }()
	t.Cleanup(func() {
		s.Service.CutExports()
		if err := errors.Join(s.App.ShutdownWithTimeout(30*time.Second), <-served); err != nil {
			t.Error(err)
		}
	})
	return &servicetest.Listener{TLS: l}
}

// TestX8_SlowReader: a client that takes nothing keeps its slot while nobody waits for it. An account that comes then waits
// for two thirds of its time and exports: the slow file is cut so that its client sees it, and what was not sent is given
// back.
func TestX8_SlowReader(t *testing.T) {
	t.Parallel()
	const total = 200_000
	s := newSite(t, repeated(total, nil), func(c *service.Config) { c.Exports, c.ExportWait = 1, 3*time.Second })
	l := s.listen(t)
	slow := narrow(t, l)
	fmt.Fprintf(slow, "GET /v1/filings/export HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", l.Address, s.Keys[access.Starter])
	res, err := http.ReadResponse(bufio.NewReader(slow), nil)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	a := s.get(t, access.Pro, "/v1/filings/export?format=csv&fields=id")
	if waited := time.Since(began); a.status != http.StatusOK || len(lines(a.body)) != total+1 || waited < 2*time.Second {
		t.Errorf("the other account's export: %d, %d lines, %s", a.status, len(lines(a.body)), waited)
	}
	if n, err := io.Copy(io.Discard, res.Body); !errors.Is(err, io.ErrUnexpectedEOF) && err == nil {
		t.Errorf("the slow one: %d bytes, and no error", n)
	}
	paid := s.ended(t, "user-starter")
	for _, want := range []string{`"outcome":"slow"`, fmt.Sprintf(`"price":%d,`, paid), "the client took less than 1 MiB while another account waited"} {
		if !strings.Contains(s.Log.String(), want) {
			t.Errorf("the log has no %s: %s", want, s.Log)
		}
	}
	if paid >= total/100/10 {
		t.Errorf("%d requests paid", paid)
	}
}

// TestX8_Waits: an export that waits for a slot is refused when the service stops, and waits no longer than its client does.
func TestX8_Waits(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*site, *tls.Conn){
		"the service stops":   func(s *site, _ *tls.Conn) { s.Service.CutExports() },
		"the client hangs up": func(_ *site, c *tls.Conn) { _ = c.Close() },
		"its network is gone": func(_ *site, c *tls.Conn) { _ = c.NetConn().Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, repeated(200_000, nil), func(c *service.Config) { c.Exports, c.ExportWait = 1, time.Hour })
			l := s.listen(t)
			s.begin(t, l, access.Starter, "/v1/filings/export")
			c, err := tls.Dial("tcp", l.Address, l.Trust)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, "GET /v1/filings/export HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", l.Address, s.Keys[access.Pro])
			servicetest.Until(t, "it waits", func() bool { return s.gauge(t, "filings_http_requests_in_flight") == 1 })
			end(s, c)
			servicetest.Until(t, "its request ends", func() bool { return strings.Contains(s.Log.String(), `"status":429`) })
			if used := s.used(t, "user-pro"); used != 0 {
				t.Errorf("%d requests counted", used)
			}
		})
	}
}
