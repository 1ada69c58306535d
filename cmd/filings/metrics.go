package main

import (
	"crypto/x509"
	"runtime"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"filings/mappings"
)

// newRegistry returns a registry with what the process knows of itself: Go's and the system's figures, and what was
// built into it.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "filings_build_info",
		Help: "The program: 1, by version, revision (empty where the build recorded none), Go's version and mapping version.",
		ConstLabels: prometheus.Labels{
			"version": version, "revision": revision(), "goversion": runtime.Version(), "mapping": strconv.Itoa(mappings.Version),
		},
	})
	build.Set(1)
	registry.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// certificateMetric tells when the API's certificate ends.
func certificateMetric(c *x509.Certificate) prometheus.Collector {
	expires := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "filings_certificate_expires_timestamp_seconds",
		Help: "When the certificate that the API shows ends.",
	})
	expires.Set(float64(c.NotAfter.Unix()))
	return expires
}
