package service

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index/serving"
	"filings/service/access"
	"filings/service/export"
	"filings/service/params"
)

// metrics counts the work of the service. Labels are few and bounded: patterns of routes, never
// paths; tiers, never users.
type metrics struct {
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	inFlight   prometheus.Gauge
	admissions *prometheus.CounterVec
	keyStore   *prometheus.HistogramVec
	exporting  prometheus.Gauge
	exports    *prometheus.CounterVec
	exportRows prometheus.Counter
	parameters *prometheus.CounterVec
}

// verdictLabels are the values of the label verdict.
var verdictLabels = [...]string{
	access.Admitted: "admitted", access.UnknownKey: "unknown_key",
	access.BurstExceeded: "burst", access.DailyExceeded: "daily", access.LifetimeExceeded: "lifetime",
	access.TokensExceeded: "tokens", access.VisitorExceeded: "visitor",
}

// newMetrics registers the metrics, and those that are read at each scrape.
func newMetrics(registry *prometheus.Registry, read ...scraped) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "filings_http_requests_total",
			Help: "Responses to requests, by the endpoint's path, status and the caller's tier."},
			[]string{"route", "status", "tier"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "filings_http_request_duration_seconds",
			Help:    "Time from a request's arrival to its response, by the endpoint's path.",
			Buckets: serving.Seconds()}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "filings_http_requests_in_flight",
			Help: "Requests in progress."}),
		admissions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "filings_admissions_total",
			Help: "Requests with a key or a token, by verdict: admitted, unknown_key, burst, daily, lifetime, " +
				"tokens or visitor."}, []string{"verdict"}),
		keyStore: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "filings_admission_duration_seconds",
			Help: "Time that the key store takes to admit or refuse a request, by outcome: ok, unavailable " +
				"or error.",
			Buckets: serving.Seconds()}, []string{"outcome"}),
	}
	m.exporting = prometheus.NewGauge(prometheus.GaugeOpts{Name: "filings_exports_in_progress",
		Help: "Exports that are being sent."})
	m.exports = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "filings_exports_total",
		Help: "Exports that began, by format and outcome: whole, client (it closed the connection or read nothing), " +
			"slow (cut while another account waited), timeout, stopped (with the service) or failed."},
		[]string{"format", "outcome"})
	m.exportRows = prometheus.NewCounter(prometheus.CounterOpts{Name: "filings_export_rows_total",
		Help: "Rows of exports that were sent."})
	m.parameters = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "filings_parameters_total",
		Help: "Requests that had a parameter, by the endpoint's path and the parameter's name; never a name that " +
			"isn't a parameter's."},
		[]string{"endpoint", "parameter"})
	for _, f := range export.Formats {
		for _, outcome := range export.Outcomes {
			m.exports.WithLabelValues(string(f), outcome)
		}
	}
	// From 0 on, since Prometheus does not see the rise of a counter whose first sample is above 0.
	for _, verdict := range verdictLabels {
		m.admissions.WithLabelValues(verdict)
	}
	for _, outcome := range []string{"ok", "unavailable", "error"} {
		m.keyStore.WithLabelValues(outcome)
	}
	collectors := []prometheus.Collector{m.requests, m.durations, m.inFlight, m.admissions, m.keyStore, m.exporting,
		m.exports, m.exportRows, m.parameters}
	for _, r := range read {
		collectors = append(collectors, r)
	}
	for _, c := range collectors {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *metrics) observed(route, status, tier string, took time.Duration) {
	m.requests.WithLabelValues(route, status, tier).Inc()
	m.durations.WithLabelValues(route).Observe(took.Seconds())
}

// countParameters has a counter for each parameter of an endpoint, from 0 on.
func (m *metrics) countParameters(table *params.Table, endpoints []endpoint) {
	for i := range endpoints {
		for _, p := range table.Rows(endpoints[i].Takes) {
			m.parameters.WithLabelValues(endpoints[i].Path, p.Name)
			if p.Legacy != "" {
				m.parameters.WithLabelValues(endpoints[i].Path, p.Legacy)
			}
		}
	}
}

// sent counts the parameters of a request.
func (m *metrics) sent(e *endpoint, query *params.Raw) {
	query.EachSent(func(name string) { m.parameters.WithLabelValues(e.Path, name).Inc() })
}

// keyStoreCalled counts an admission that took some time and ended with err, and returns its outcome.
func (m *metrics) keyStoreCalled(err error, took time.Duration) string {
	outcome := "ok"
	switch {
	case errors.Is(err, access.ErrUnavailable):
		outcome = "unavailable"
	case err != nil:
		outcome = "error"
	}
	m.keyStore.WithLabelValues(outcome).Observe(took.Seconds())
	return outcome
}

// scraped is a Collector of gauges that are read when Prometheus scrapes them. It sends none while the engine that it
// reads them from does not respond: readiness reports that.
type scraped func(ctx context.Context, send sendGauge)

type sendGauge func(name, help string, value float64, labels prometheus.Labels)

// Describe describes nothing: which gauges there are shows when they are read.
func (scraped) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (read scraped) Collect(sink chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	read(ctx, func(name, help string, value float64, labels prometheus.Labels) {
		sink <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, labels), prometheus.GaugeValue, value)
	})
}
