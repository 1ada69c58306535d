package servicetest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Listener is an application on a real socket with TLS, as in production.
type Listener struct {
	Address     string // 127.0.0.1:port
	Certificate string // PEM file of the certificate that clients must trust
	Trust       *tls.Config
	Client      *http.Client // that trusts it
}

// ListenTLS serves app until the test ends, with the certificate that net/http/httptest has for 127.0.0.1.
func ListenTLS(t testing.TB, app *fiber.App) *Listener {
	t.Helper()
	lender := httptest.NewTLSServer(http.NotFoundHandler())
	lender.Close()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: lender.TLS.Certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	served := make(chan error, 1)
	go func() { served <- app.Listener(tls.NewListener(plain, config)) }()

	l := &Listener{Address: plain.Addr().String(), Certificate: filepath.Join(t.TempDir(), "tls.pem"), Trust: &tls.Config{RootCAs: x509.NewCertPool()}}
	l.Trust.RootCAs.AddCert(lender.Certificate())
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lender.Certificate().Raw})
	if err := os.WriteFile(l.Certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: l.Trust, MaxIdleConnsPerHost: 1000, DisableCompression: true}
	l.Client = &http.Client{Transport: transport, Timeout: time.Minute}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := app.ShutdownWithTimeout(30 * time.Second); err != nil {
			t.Errorf("shut down: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("listener: %v", err)
		}
	})
	return l
}
