package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/cmd/filings/certificate"
	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/service/edge"
)

// listeners are the sockets of a service, and the certificate that the first one shows; redirect and operations are nil
// where they are off.
type listeners struct {
	api, redirect, operations net.Listener
	certificate               *certificate.Certificate
}

// port is the port of the API.
func (l listeners) port() int { return l.api.Addr().(*net.TCPAddr).Port }

// listen opens all sockets, or none, and only then looks for the certificate: where another program has a port, nothing
// has changed.
func listen(s settings.Settings) (l listeners, err error) {
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.api, err = open("FILINGS_LISTEN", s.Listen); err != nil {
		return l, err
	}
	if l.redirect, err = openPlain("FILINGS_REDIRECT_LISTEN", s.RedirectListen); err != nil {
		return l, err
	}
	if l.operations, err = openPlain("FILINGS_OPERATIONS_LISTEN", s.OperationsListen); err != nil {
		return l, err
	}
	if l.certificate, err = certificate.Open(s, time.Now); err != nil {
		if errors.Is(err, certificate.ErrSetting) {
			err = usageError{err}
		}
		return l, err
	}
	l.api = edge.Listen(edge.TLS(l.api, &tls.Config{
		GetCertificate: l.certificate.Get,
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		// Small records at the beginning of a connection would show the first words of a page sooner. Clients parse our
		// responses as a whole: a first page of 18 kB would be seven records and writes instead of three.
		DynamicRecordSizingDisabled: true,
	}))
	return l, nil
}

// takenError is that of an address that another program listens on.
type takenError struct{ setting, address string }

func (e takenError) Error() string {
	host, port, _ := net.SplitHostPort(e.address) // what is taken could be parsed
	other := "another address"
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		other = net.JoinHostPort(host, strconv.FormatUint(n^1, 10)) // the port beside it
	}
	if e.setting != "FILINGS_LISTEN" {
		other += " or " + settings.Off
	}
	return fmt.Sprintf("%s=%s: another program listens on this address; set it to %s", e.setting, e.address, other)
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
	case check.IsTaken(err):
		return nil, takenError{setting, address}
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("%s=%s: this user may not listen on that port", setting, address)
	case err != nil:
		return nil, usageError{fmt.Errorf("%s=%s: must be an address of this machine such as :8443 or 127.0.0.1:8443: %w", setting, address, err)}
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

// certificateMetric shows when the API's certificate expires, the one that is shown at the time of the scrape.
func certificateMetric(c *certificate.Certificate) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "filings_certificate_expires_timestamp_seconds",
		Help: "When the API's certificate expires.",
	}, func() float64 { return float64(c.Expires().Unix()) })
}
