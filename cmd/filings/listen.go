package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/cmd/filings/settings"
	"filings/service/edge"
)

// listeners are the sockets of a service; redirect and operations are nil where they are off. trust is the file of the
// certificate that clients have to trust, "" for a certificate from the settings.
type listeners struct {
	api, redirect, operations net.Listener
	trust                     string
	certificate               *x509.Certificate
}

// port is the port of the API.
func (l listeners) port() int { return l.api.Addr().(*net.TCPAddr).Port }

// listen opens all sockets, or none.
func listen(s settings.Settings) (l listeners, err error) {
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	cert, trust, err := certificate(s, time.Now())
	if err != nil {
		return l, err
	}
	l.trust, l.certificate = trust, cert.Leaf
	plain, err := open("FILINGS_LISTEN", s.Listen)
	if err != nil {
		return l, err
	}
	l.api = edge.Listen(tls.NewListener(plain, &tls.Config{
		Certificates: []tls.Certificate{cert},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"http/1.1"},
		// Small records at the beginning of a connection would show the first words of a page sooner. Clients parse our
		// responses as a whole: a first page of 18 kB would be seven records and writes instead of three.
		DynamicRecordSizingDisabled: true,
	}))
	if l.redirect, err = openPlain("FILINGS_REDIRECT_LISTEN", s.RedirectListen); err != nil {
		return l, err
	}
	l.operations, err = openPlain("FILINGS_OPERATIONS_LISTEN", s.OperationsListen)
	return l, err
}

// openPlain opens a socket without TLS, nil for one that is off.
func openPlain(setting, address string) (net.Listener, error) {
	if address == settings.Off {
		return nil, nil
	}
	plain, err := open(setting, address)
	if err != nil {
		return nil, err
	}
	return edge.Listen(plain), nil
}

func open(setting, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s=%s: another program listens on this address", setting, address)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("%s=%s: this user may not listen on that port", setting, address)
	case err != nil:
		return nil, usageError{fmt.Errorf("%s=%s: %w", setting, address, err)}
	}
	return l, nil
}

func (l listeners) close() {
	for _, one := range []net.Listener{l.api, l.redirect, l.operations} {
		if one != nil {
			_ = one.Close()
		}
	}
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func address(l net.Listener) string {
	if l == nil {
		return settings.Off
	}
	return l.Addr().String()
}

// certificateMetric shows when the API's certificate expires.
func certificateMetric(c *x509.Certificate) prometheus.Collector {
	expires := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "filings_certificate_expires_timestamp_seconds",
		Help: "When the API's certificate expires.",
	})
	expires.Set(float64(c.NotAfter.Unix()))
	return expires
}
