package servicetest

import (
	"crypto"
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

	"filings/service/edge"
)

// TLS is a TLS listener on a port of its own of the loopback interface.
type TLS struct {
	net.Listener
	Address     string // 127.0.0.1:port
	Certificate string // PEM file of the certificate that clients must trust
	Trust       *tls.Config
	key         crypto.PrivateKey
}

// NewTLS listens until the test ends, with the certificate that net/http/httptest has for 127.0.0.1.
func NewTLS(t testing.TB) *TLS {
	t.Helper()
	lender := httptest.NewTLSServer(http.NotFoundHandler())
	lender.Close()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plain.Close() }) // a second time, where a server has closed it
	config := &tls.Config{Certificates: lender.TLS.Certificates, MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"}}
	l := &TLS{
		edge.TLS(plain, config), plain.Addr().String(), filepath.Join(t.TempDir(), "tls.pem"),
		&tls.Config{RootCAs: x509.NewCertPool()}, config.Certificates[0].PrivateKey,
	}
	l.Trust.RootCAs.AddCert(lender.Certificate())
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lender.Certificate().Raw})
	if err := os.WriteFile(l.Certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return l
}

// Files returns the PEM files of l's certificate and key, for a server that is another program.
func (l *TLS) Files(t testing.TB) (certificate, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(l.key)
	if err != nil {
		t.Fatal(err)
	}
	key = filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return l.Certificate, key
}

// Listener is an application on a real socket with TLS, as in production.
type Listener struct {
	*TLS
	Client *http.Client // that trusts it
}

// ListenTLS serves app until the test ends.
func ListenTLS(t testing.TB, app *fiber.App) *Listener {
	t.Helper()
	l := NewTLS(t)
	served := make(chan error, 1)
	go func() { served <- app.Listener(l) }()
	transport := &http.Transport{TLSClientConfig: l.Trust, MaxIdleConnsPerHost: 1000, DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := app.ShutdownWithTimeout(30 * time.Second); err != nil {
			t.Errorf("shut down: %v", err)
		}
		_ = l.Close() // a test that ends at once may have come before the application: that knows nothing of its end
		if err := <-served; err != nil {
			t.Errorf("listener: %v", err)
		}
	})
	return &Listener{l, &http.Client{Transport: transport, Timeout: time.Minute}}
}
