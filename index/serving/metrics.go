package serving

import (
	"github.com/prometheus/client_golang/prometheus"

	"filings/index/breaker"
)

// Seconds are the bounds of histograms of time: from a cached response to the end of a request's time.
func Seconds() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
}

// expose makes e's metrics, and registers them unless r is nil.
func (e *Engine) expose(r prometheus.Registerer) error {
	e.calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "filings_engine_call_duration_seconds",
		Help:    "Time of a call to the engine, by call and outcome: ok, not_found, gone, unavailable, ended (its request was) or error.",
		Buckets: Seconds(),
	}, []string{"call", "outcome"})
	e.calls.WithLabelValues("live", "ok") // called for the metrics themselves: exposed from 0 on
	if r == nil {
		return nil
	}
	all := []prometheus.Collector{e.calls, breaker.Metric("filings_engine_breaker_state", "engine", e.breaker.State)}
	if e.cache != nil {
		all = append(all,
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "filings_cache_hits_total",
				Help: "Requests to the index that were served from the cache, or by an equal request in progress."},
				func() float64 { return float64(e.hits.Load()) }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "filings_cache_misses_total",
				Help: "Requests to the index that called the engine."},
				func() float64 { return float64(e.misses.Load()) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "filings_cache_bytes",
				Help: "Memory of cached responses."},
				func() float64 { return float64(e.cache.Bytes()) }))
	}
	for _, c := range all {
		if err := r.Register(c); err != nil {
			return err
		}
	}
	return nil
}
