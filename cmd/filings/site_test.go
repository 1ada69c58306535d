package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"filings/cmd/filings/settings"
	"filings/service/servicetest"
)

// testTimeout is how long a test waits for what has to happen soon.
const testTimeout = 20 * time.Second

// eventually waits until a condition holds, which has to come soon.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	if !servicetest.Poll(ctx, holds) {
		t.Fatalf("%s: not in %v", what, testTimeout)
	}
}

// client is a client of many connections, which trusts the certificate that the program made, as `curl --cacert` does.
func client(t *testing.T, certificateFile string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(certificateFile)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatal("no certificate in the file")
	}
	c := &http.Client{
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 1000,
			TLSClientConfig:     &tls.Config{RootCAs: pool, ClientSessionCache: tls.NewLRUClientSessionCache(16)},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// dialTLS opens a connection beside those of a client.
func dialTLS(c *http.Client, address string) (*tls.Conn, error) {
	return tls.Dial("tcp", address, c.Transport.(*http.Transport).TLSClientConfig)
}

// get sends a request with a key, and returns the body of what has to be a 200.
func get(ctx context.Context, t *testing.T, c *http.Client, url, key string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v\n%s", url, res.Status, err, body)
	}
	return body
}

// site is where a running service listens.
type site struct {
	api        string // https://localhost:port
	operations string // http://127.0.0.1:port
}

// metrics returns what /metrics shows.
func (s site) metrics(t *testing.T) string {
	t.Helper()
	return string(get(t.Context(), t, http.DefaultClient, s.operations+"/metrics", ""))
}

// startServing runs the service in this process until the test ends, after a load of five filings, and returns where it
// listens, a client of it, and the key of an account of tier pro.
func startServing(t *testing.T, f *fixture) (l listeners, at site, c *http.Client, key string) {
	t.Helper()
	f.must(t, f.must(t, "", "generate", "--count", "5"), "reindex", "--format", "ndjson", "-")
	return serveLoaded(t, f)
}

// serveLoaded is startServing of what is loaded already.
func serveLoaded(t *testing.T, f *fixture) (l listeners, at site, c *http.Client, key string) {
	t.Helper()
	key = f.must(t, "", "keys", "create", "--user", "u", "--tier", "pro")
	ctx, stop := context.WithCancel(context.Background())
	p := &program{streams{nil, io.Discard, io.Discard}, func() (settings.Settings, error) { return f.settings, nil }}
	ready, ended := make(chan struct{}), make(chan error, 1)
	l, err := listen(f.settings)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	go func() {
		ended <- p.serve(ctx, f.settings, l, nil, func() { close(ready) })
	}()
	select {
	case <-ready:
	case err := <-ended:
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	at = site{"https://localhost:" + strconv.Itoa(l.port()), "http://" + address(l.operations)}
	return l, at, client(t, l.certificate.Cert), key[:len(key)-1]
}
