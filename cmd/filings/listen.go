package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/cmd/filings/certificate"
	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/service/edge"
)

// listeners are the sockets of a service, and the certificate of the first; redirect and operations
// are nil if off.
type listeners struct {
	api, redirect, operations *edge.Listener
	certificate               *certificate.Certificate
}

func (l listeners) port() int { return l.api.Addr().(*net.TCPAddr).Port }

// listen opens all sockets, or none, and only then looks for the certificate: where a port is
// taken, nothing has changed.
func listen(s settings.Settings) (l listeners, err error) {
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	limits := limitsOf("/proc/self/limits")
	api, err := open("FILINGS_LISTEN", s.Listen)
	if err != nil {
		return l, err
	}
	l.api = edge.Listen(api, limits.api) // by TLS as soon as there is a certificate
	if l.redirect, err = openPlain("FILINGS_REDIRECT_LISTEN", s.RedirectListen, limits.redirect); err != nil {
		return l, err
	}
	if l.operations, err = openPlain("FILINGS_OPERATIONS_LISTEN", s.OperationsListen, limits.operations); err != nil {
		return l, err
	}
	if l.certificate, err = certificate.Open(s, time.Now); err != nil {
		if errors.Is(err, certificate.ErrSetting) {
			err = usageError{err}
		}
		return l, err
	}
	l.api = edge.Listen(edge.TLS(api, &tls.Config{
		GetCertificate: l.certificate.Get,
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		// Small records at the beginning of a connection would show the first words of a page sooner. Clients parse our
		// responses as a whole: a first page of 18 kB would be seven records and writes instead of three.
		DynamicRecordSizingDisabled: true,
	}), limits.api)
	return l, nil
}

// takenError is that of an address that another program listens on.
type takenError struct{ setting, address string }

func (e takenError) Error() string {
	host, port, _ := net.SplitHostPort(e.address) // a taken address could be parsed
	alternative := "another address"
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		alternative = net.JoinHostPort(host, strconv.FormatUint(n^1, 10)) // the port next to it
	}
	if e.setting != "FILINGS_LISTEN" {
		alternative += " or " + settings.Off
	}
	return fmt.Sprintf("%s=%s: another program listens on this address; set it to %s", e.setting, e.address, alternative)
}

// openPlain opens a socket without TLS, nil for one that is off.
func openPlain(setting, address string, most int) (*edge.Listener, error) {
	if address == settings.Off {
		return nil, nil
	}
	plain, err := open(setting, address)
	if err != nil {
		return nil, err
	}
	return edge.Listen(plain, most), nil
}

func open(setting, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case check.IsTaken(err):
		return nil, takenError{setting, address}
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("%s=%s: this user may not listen on that port", setting, address)
	case err != nil:
		return nil, usageError{fmt.Errorf(
			"%s=%s: must be an address of this machine such as :8443 or 127.0.0.1:8443: %w", setting, address, err)}
	}
	return l, nil
}

func (l listeners) close() {
	for _, listener := range l.open() {
		_ = listener.Close()
	}
}

// open returns the listeners that are on, by the names that metrics have for them.
func (l listeners) open() map[string]*edge.Listener {
	open := map[string]*edge.Listener{"api": l.api, "redirect": l.redirect, "operations": l.operations}
	maps.DeleteFunc(open, func(_ string, listener *edge.Listener) bool { return listener == nil })
	return open
}

// connectionLimits are how many connections a listener has open at once.
type connectionLimits struct{ api, redirect, operations int }

// A connection on which nothing comes takes up to 50 kB: the connections of an API may take 200 MB,
// and there is one for each of 4,096 clients. Where the system allows fewer than this many
// descriptors, they are fewer.
const enoughDescriptors = 8192

// limitsOf returns how many connections a process may have that has those limits, a file such as
// Linux has. They take two thirds of its descriptors: files, Elasticsearch, Redis and sources need
// some. Go itself raises the limit as far as the system allows.
func limitsOf(file string) connectionLimits {
	descriptors := enoughDescriptors
	// elsewhere than on Linux there is none: macOS allows more by itself, and Windows has no limit
	text, _ := os.ReadFile(file)
	if m := regexp.MustCompile(`(?m)^Max open files +(\d+) `).FindSubmatch(text); m != nil {
		if n, err := strconv.Atoi(string(m[1])); err == nil {
			descriptors = min(n, descriptors)
		}
	}
	return connectionLimits{max(descriptors/2, 1), max(descriptors/8, 1), max(descriptors/32, 1)}
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func address(l *edge.Listener) string {
	if l == nil {
		return settings.Off
	}
	return l.Addr().String()
}

// metrics show when the API's certificate expires, the one that is shown at the time of the scrape,
// how many connections each listener has, and where they met a limit.
func (l listeners) metrics() []prometheus.Collector {
	collectors := []prometheus.Collector{prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "filings_certificate_expires_timestamp_seconds",
		Help: "When the API's certificate expires.",
	}, func() float64 { return float64(l.certificate.Expires().Unix()) })}
	for name, listener := range l.open() {
		labels := prometheus.Labels{"listener": name}
		collectors = append(collectors,
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "filings_connections", ConstLabels: labels,
				Help: "Open connections, by listener: api, redirect or operations.",
			}, func() float64 { return float64(listener.Figures().Open) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "filings_connections_limit", ConstLabels: labels,
				Help: "How many connections may be open at once, by listener.",
			}, func() float64 { return float64(listener.Most()) }))
		for outcome, count := range map[string]func(edge.Figures) int64{
			"made_room": func(f edge.Figures) int64 { return f.MadeRoom },
			"waited":    func(f edge.Figures) int64 { return f.Waited },
			"refused":   func(f edge.Figures) int64 { return f.Refused },
		} {
			collectors = append(collectors, prometheus.NewCounterFunc(prometheus.CounterOpts{
				Name:        "filings_connections_limited_total",
				ConstLabels: prometheus.Labels{"listener": name, "outcome": outcome},
				Help: "New connections that met a limit, by listener and outcome: made_room (the one that had waited " +
					"longest for its client was closed), waited (all were busy) or refused (the system had no " +
					"descriptor or memory for it).",
			}, func() float64 { return float64(count(listener.Figures())) }))
		}
	}
	return collectors
}
