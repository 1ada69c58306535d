package service

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index/breaker"
	"filings/index/generation"
	"filings/index/serving"
	"filings/service/access"
)

// metrics counts what the service does. Labels are few and bounded: patterns of routes, never paths; tiers, never users.
type metrics struct {
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	inFlight   prometheus.Gauge
	admissions *prometheus.CounterVec
	keyStore   *prometheus.HistogramVec
}

func newMetrics(s *Service) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "filings_http_requests_total",
			Help: "Requests answered, by the endpoint's path, status and the caller's tier."}, []string{"route", "status", "tier"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "filings_http_request_duration_seconds",
			Help: "Time from a request's arrival to its answer, by the endpoint's path.", Buckets: serving.Seconds()}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "filings_http_requests_in_flight",
			Help: "Requests that are being answered."}),
		admissions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "filings_admissions_total",
			Help: "Requests with a key, by what became of them: admitted, unknown_key, burst, daily or lifetime."}, []string{"verdict"}),
		keyStore: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "filings_admission_duration_seconds",
			Help: "Time that the key store takes to admit or refuse a request, by outcome: ok, unavailable or error.", Buckets: serving.Seconds()}, []string{"outcome"}),
	}
	// From 0 on, since Prometheus does not see the rise of a counter that it first meets at another figure.
	for v := access.Admitted; v <= access.LifetimeExceeded; v++ {
		m.admissions.WithLabelValues(verdictLabel(v))
	}
	for _, outcome := range []string{"ok", "unavailable", "error"} {
		m.keyStore.WithLabelValues(outcome)
	}
	all := []prometheus.Collector{
		m.requests, m.durations, m.inFlight, m.admissions, m.keyStore, &liveGeneration{engine: s.config.Engine}, &lastLoad{ask: s.config.LastLoad},
	}
	if store, ok := s.config.Access.(interface{ BreakerState() int }); ok {
		all = append(all, breaker.Metric("filings_keys_breaker_state", "key store", store.BreakerState))
	}
	return m, register(s.config.Registry, all...)
}

func register(r *prometheus.Registry, collectors ...prometheus.Collector) error {
	for _, c := range collectors {
		if err := r.Register(c); err != nil {
			return err
		}
	}
	return nil
}

func (m *metrics) answered(k *call, status int, took time.Duration) {
	tier := "none"
	if k.known {
		tier = string(k.admission.Tier)
	}
	m.requests.WithLabelValues(k.route, strconv.Itoa(status), tier).Inc()
	m.durations.WithLabelValues(k.route).Observe(took.Seconds())
}

// asked counts a question to the key store, admitted what it answered.
func (m *metrics) asked(err error, took time.Duration) {
	m.keyStore.WithLabelValues(storeOutcome(err)).Observe(took.Seconds())
}

func storeOutcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, access.ErrUnavailable):
		return "unavailable"
	}
	return "error"
}

func (m *metrics) admitted(a access.Admission) {
	m.admissions.WithLabelValues(verdictLabel(a.Verdict)).Inc()
}

func verdictLabel(v access.Verdict) string {
	switch v {
	case access.Admitted:
		return "admitted"
	case access.UnknownKey:
		return "unknown_key"
	case access.BurstExceeded:
		return "burst"
	case access.DailyExceeded:
		return "daily"
	case access.LifetimeExceeded:
		return "lifetime"
	}
	return "other"
}

// liveGeneration reports the live generation when it is asked. Its age is time() minus the second figure.
type liveGeneration struct{ engine *serving.Engine }

func (*liveGeneration) descriptions() (info, created *prometheus.Desc) {
	return prometheus.NewDesc("filings_live_generation_info", "The live generation, by name; no figure where none is.", []string{"generation"}, nil),
		prometheus.NewDesc("filings_live_generation_created_timestamp_seconds", "When the live generation was begun.", nil, nil)
}

func (l *liveGeneration) Describe(to chan<- *prometheus.Desc) {
	info, created := l.descriptions()
	to <- info
	to <- created
}

func (l *liveGeneration) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r, err := l.engine.Live(ctx)
	if err != nil || r.Generation() == "" {
		return // readiness tells of an engine that does not answer
	}
	info, created := l.descriptions()
	to <- prometheus.MustNewConstMetric(info, prometheus.GaugeValue, 1, r.Generation())
	if t, ok := begun(r.Generation()); ok {
		to <- prometheus.MustNewConstMetric(created, prometheus.GaugeValue, float64(t.UnixMicro())/1e6)
	}
}

// begun returns when a generation was begun, by its name: prefix, date, time and version, joined by hyphens.
func begun(name string) (time.Time, bool) {
	parts := strings.Split(name, "-")
	if len(parts) < 4 {
		return time.Time{}, false
	}
	return generation.ParseName(strings.Join(parts[:len(parts)-3], "-"), name)
}
