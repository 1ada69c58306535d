package service_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

// door is a service that listens on a real socket with TLS, as in production.
type door struct {
	address string
	trust   *tls.Config
	client  *http.Client
}

// listenTLS serves app until the test ends.
func listenTLS(t testing.TB, app *fiber.App) *door {
	t.Helper()
	lender := httptest.NewTLSServer(http.NotFoundHandler()) // lends its certificate
	lender.Close()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		served <- app.Listener(tls.NewListener(plain, &tls.Config{Certificates: lender.TLS.Certificates, MinVersion: tls.VersionTLS12}))
	}()
	pool := x509.NewCertPool()
	pool.AddCert(lender.Certificate())
	d := &door{address: plain.Addr().String(), trust: &tls.Config{RootCAs: pool}}
	transport := &http.Transport{TLSClientConfig: d.trust, MaxIdleConnsPerHost: 1000, DisableCompression: true}
	d.client = &http.Client{Transport: transport, Timeout: time.Minute}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := app.ShutdownWithTimeout(30 * time.Second); err != nil {
			t.Errorf("shut down: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("listener: %v", err)
		}
	})
	return d
}

// get asks with key, "" for none.
func (d *door) get(t testing.TB, target, key string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+d.address+target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("X-API-Key", key)
	}
	res, err := d.client.Do(req)
	if err != nil {
		t.Errorf("%s: %v", target, err)
		return answer{}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("%s: %v", target, err)
	}
	return answer{res.StatusCode, res.Header, string(body)}
}

// until asks again and again until good says so, for at most five seconds: so fast must a service recover.
func until(t testing.TB, what string, good func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !good(); {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 5 seconds", what)
		}
	}
}
