package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"filings/cmd/filings/settings"
)

// reloaded is a certificate whose files a test changes.
type reloaded struct {
	*Certificate
	now time.Time
}

func newReloaded(c *Certificate, now time.Time) *reloaded {
	r := &reloaded{c, now}
	c.now = func() time.Time { return r.now }
	return r
}

// look reads the files again, and returns what that logged.
func (r *reloaded) look(always bool) string {
	var log bytes.Buffer
	r.reload(slog.New(slog.NewTextHandler(&log, nil)), always)
	return log.String()
}

// install puts a copy of another pair in place.
func (r *reloaded) install(t *testing.T, from Files) {
	t.Helper()
	write(t, r.Cert, read(t, from.Cert))
	write(t, r.Key, read(t, from.Key))
}

// A new pair is shown, whether it is the program's own or that of the settings. Whatever is
// wrong with it is one line that names the file, and leaves the old one in place.
func TestReload(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{true, false} {
		c, first := open(t, newFolder(t), testTime)
		if !own {
			c, first = open(t, settings.Settings{TLSCertFile: c.Cert, TLSKeyFile: c.Key}, testTime)
		}
		r := newReloaded(c, testTime)
		next, second := open(t, newFolder(t), testTime.Add(24*time.Hour))
		keeps := func(what, log string, parts ...string) {
			t.Helper()
			if !bytes.Equal(c.shows(), first) {
				t.Errorf("%s: another certificate is shown", what)
			}
			for _, part := range parts {
				if !strings.Contains(log, part) || strings.Count(log, "\n") != 1 || strings.Contains(log, "BEGIN") {
					t.Errorf("%s: logged %q, want one line with %s", what, log, part)
				}
			}
			if len(parts) == 0 && log != "" {
				t.Errorf("%s: logged %q", what, log)
			}
		}
		keeps("nothing new", r.look(false))
		keeps("nothing new", r.look(true), "has not changed")

		write(t, c.Cert, read(t, next.Cert))
		keeps("another certificate's key", r.look(false), c.Cert, c.Key, "level=WARN")
		keeps("still", r.look(false))
		keeps("still, but somebody asks", r.look(true), c.Key)
		write(t, c.Cert, []byte("garbage"))
		keeps("garbage", r.look(false), c.Cert)
		if err := os.Remove(c.Cert); err != nil {
			t.Fatal(err)
		}
		keeps("no file", r.look(false), c.Cert)
		r.install(t, next.Files)
		keeps("not valid yet", r.look(false), c.Cert, "is valid from 2026-02-01 11:00:00")

		r.now = testTime.Add(24 * time.Hour)
		if log := r.look(false); !bytes.Equal(c.shows(), second) || !strings.Contains(log, "was replaced") || strings.Count(log, "\n") != 1 {
			t.Errorf("a good pair: %q", log)
		}
		if want := testTime.Add(24*time.Hour + Life); !c.Expires().Equal(want) {
			t.Errorf("it expires on %v, want %v", c.Expires(), want)
		}
		later, third := open(t, newFolder(t), testTime.Add(25*time.Hour))
		r.now = testTime.Add(25 * time.Hour)
		r.install(t, later.Files)
		if log := r.look(true); !bytes.Equal(c.shows(), third) || !strings.Contains(log, "was replaced") {
			t.Errorf("another good pair, and somebody asks: %q", log)
		}
	}
}

// lines makes each line of a log a value of the channel.
type lines chan string

func (l lines) Write(p []byte) (int, error) { l <- string(p); return len(p), nil }

// Who is connected stays so on the same connection; who connects after a tick or a hangup gets the new certificate.
func TestWatch(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c, _ := open(t, newFolder(t), now)
	r := newReloaded(c, now)
	ticks, hangup, logged, ended := make(chan time.Time), make(chan os.Signal), make(lines), make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		c.Watch(ctx, ticks, hangup, slog.New(slog.NewTextHandler(logged, nil)))
		close(ended)
	}()
	t.Cleanup(func() { stop(); <-ended })
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RemoteAddr) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the last client does not trust it
	server.Listener = tls.NewListener(server.Listener, &tls.Config{GetCertificate: c.Get})
	server.Start()
	t.Cleanup(server.Close)
	trusting := func(file string) *http.Client {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(read(t, file))
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
		t.Cleanup(client.CloseIdleConnections)
		return client
	}
	get := func(c *http.Client) (string, error) {
		_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		res, err := c.Get("https://localhost:" + port)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return string(body), err
	}
	old := trusting(c.Cert)
	before, err := get(old)
	if err != nil {
		t.Fatal(err)
	}
	for _, look := range []func(){func() { ticks <- now }, func() { hangup <- syscall.SIGHUP }} {
		next, _ := open(t, newFolder(t), now)
		r.install(t, next.Files)
		look()
		if line := <-logged; !strings.Contains(line, "was replaced") {
			t.Fatal(line)
		}
		if after, err := get(old); err != nil || after != before {
			t.Errorf("the connection was dropped: %s, then %s %v", before, after, err)
		}
		if _, err := get(trusting(next.Cert)); err != nil {
			t.Errorf("a new connection: %v", err)
		}
	}
	old.CloseIdleConnections()
	if _, err := get(old); err == nil {
		t.Error("a new connection still shows the old certificate")
	}
}
