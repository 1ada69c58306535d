package serving

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Seconds are the bounds of histograms of time: from a cached response to the end of a request's time.
func Seconds() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
}

// expose makes e's metrics, and registers them unless r is nil.
func (e *Engine) expose(r prometheus.Registerer) error {
	e.calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "filings_engine_call_duration_seconds",
		Help: "Time of a call to the engine, by call and outcome: ok, not_found, gone, unavailable, " +
			"timeout (no response in time), ended (its request was cancelled, or came with too little time) or error.",
		Buckets: Seconds(),
	}, []string{"call", "outcome"})
	e.calls.WithLabelValues("live", "ok") // called for the metrics themselves: exposed from 0 on
	for _, call := range []string{"live", "rows", "count", "filing", "filings", "stats", "counties",
		"groups", "cells", "owners", "nearest", "steps", "changes", "changesets", "kept", "open", "export"} {
		// From 0 on, so that an alert sees the first one rise.
		for _, outcome := range []string{"unavailable", "timeout", "error"} {
			e.calls.WithLabelValues(call, outcome)
		}
	}
	e.refused = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "filings_engine_calls_refused_total",
		Help: "Calls to the engine that were not made in their request's time, " +
			"by the limit that refused them: share (of their account) or all (calls at once).",
	}, []string{"reason"})
	for _, reason := range []string{"share", "all"} {
		e.refused.WithLabelValues(reason)
	}
	if r == nil {
		return nil
	}
	all := []prometheus.Collector{
		e.calls, e.refused, e.breaker.Metric("filings_engine_breaker_state"),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "filings_engine_calls_in_progress",
			Help: "Calls to the engine in progress."},
			func() float64 { return float64(e.limit.InProgress()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "filings_engine_calls_waiting",
			Help: "Calls to the engine that wait for a slot."},
			func() float64 { return float64(e.limit.Waiting()) }),
	}
	if e.cache != nil {
		all = append(all,
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "filings_cache_hits_total",
				Help: "Requests to the index that were served from the cache, or by an equal request in progress."},
				func() float64 { return float64(e.hits.Load()) }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "filings_cache_misses_total",
				Help: "Requests to the index that called the engine."},
				func() float64 { return float64(e.misses.Load()) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "filings_cache_bytes",
				Help: "Memory of all caches, in bytes: responses, and parts of generations that the engine keeps."},
				func() float64 { return float64(e.cache.Bytes()) }))
	}
	for _, c := range all {
		if err := r.Register(c); err != nil {
			return err
		}
	}
	return nil
}
