package webtest

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
	"filings/index/serving"
	"filings/index/synthetic"
	"filings/service"
	"filings/service/access"
)

// Filings is how many made-up filings a Site has: enough for every filter to find something, few enough for plain loops.
const Filings = 3000

// Site is a running service.
type Site struct {
	Address     string // https://127.0.0.1:port
	Key         string // of an enterprise account
	Certificate string // PEM file of the certificate that clients must trust
}

// Start runs a service with made-up filings, which end today, until the test ends. Options change its configuration
// first.
func Start(t testing.TB, options ...func(*service.Config)) Site {
	t.Helper()
	g := synthetic.NewUntil(1, time.Now())
	filings := make([]*index.Filing, Filings)
	for i := range filings {
		filings[i] = &index.Filing{}
		g.Next(filings[i])
	}
	store, err := access.OpenEmbedded(filepath.Join(t.TempDir(), "access.db"), limits(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	key, err := store.Create(t.Context(), "reader", access.Enterprise, "test")
	if err != nil {
		t.Fatal(err)
	}
	served, err := serving.New(engine{indextest.NewOracle("made-up", filings)}, serving.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := service.Config{Engine: served, Access: store, RequestTimeout: 30 * time.Second}
	for _, option := range options {
		option(&c)
	}
	svc, err := service.New(c)
	if err != nil {
		t.Fatal(err)
	}
	address, certificate := listen(t, svc)
	return Site{address, key, certificate}
}

func limits() access.Limits {
	l := access.Limits{}
	for _, tier := range access.Tiers {
		l[tier] = access.Limit{Quota: 100_000, Burst: 100_000}
	}
	return l
}

// engine is an engine whose live generation is one Reader.
type engine struct{ index.Reader }

func (e engine) Live(context.Context) (index.Reader, error) { return e.Reader, nil }

// listen serves over TLS, with the certificate that net/http/httptest has for 127.0.0.1.
func listen(t testing.TB, svc *service.Service) (address, certificate string) {
	t.Helper()
	borrowed := httptest.NewUnstartedServer(nil)
	borrowed.StartTLS()
	borrowed.Close()
	certificate = filepath.Join(t.TempDir(), "tls.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: borrowed.Certificate().Raw})
	if err := os.WriteFile(certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		served <- svc.API().Listener(tls.NewListener(plain, &tls.Config{Certificates: borrowed.TLS.Certificates, NextProtos: []string{"http/1.1"}}))
	}()
	t.Cleanup(func() {
		_ = plain.Close()
		<-served
	})
	return "https://" + plain.Addr().String(), certificate
}
