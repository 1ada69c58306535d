package service

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index"
	"filings/service/access"
)

// Measure returns an engine that answers as inner does and counts the time of its calls in registry. It belongs
// beneath a cache, so that it counts what the engine itself takes.
func Measure(inner index.Engine, registry *prometheus.Registry, now func() time.Time) (index.Engine, error) {
	e := &measured{inner: inner, now: now, calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "filings_engine_call_duration_seconds",
		Help:    "Time of a call to the engine, by call and outcome: ok, not_found, gone, unavailable, ended (its request was) or error.",
		Buckets: seconds(),
	}, []string{"call", "outcome"})}
	return e, register(registry, e.calls)
}

type measured struct {
	inner index.Engine
	now   func() time.Time
	calls *prometheus.HistogramVec
}

func (e *measured) Live(ctx context.Context) (index.Reader, error) {
	r, err := timed(e, "live", func() (index.Reader, error) { return e.inner.Live(ctx) })
	if err != nil {
		return nil, err
	}
	return &measuredReader{r, e}, nil
}

func timed[T any](e *measured, call string, f func() (T, error)) (T, error) {
	began := e.now()
	v, err := f()
	e.calls.WithLabelValues(call, outcome(err)).Observe(e.now().Sub(began).Seconds())
	return v, err
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, index.ErrNotFound):
		return "not_found"
	case errors.Is(err, index.ErrGone):
		return "gone"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "ended"
	case errors.Is(err, index.ErrUnavailable), errors.Is(err, access.ErrUnavailable):
		return "unavailable"
	}
	return "error"
}

type measuredReader struct {
	inner  index.Reader
	engine *measured
}

func (r *measuredReader) Generation() string { return r.inner.Generation() }

func (r *measuredReader) Rows(ctx context.Context, q index.Query) ([]index.Record, error) {
	return timed(r.engine, "rows", func() ([]index.Record, error) { return r.inner.Rows(ctx, q) })
}

func (r *measuredReader) Count(ctx context.Context, w index.Filter) (int64, error) {
	return timed(r.engine, "count", func() (int64, error) { return r.inner.Count(ctx, w) })
}

func (r *measuredReader) Filing(ctx context.Context, id int64) (index.Record, error) {
	return timed(r.engine, "filing", func() (index.Record, error) { return r.inner.Filing(ctx, id) })
}

func (r *measuredReader) Stats(ctx context.Context) (index.Stats, error) {
	return timed(r.engine, "stats", func() (index.Stats, error) { return r.inner.Stats(ctx) })
}

func (r *measuredReader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	return timed(r.engine, "counties", func() ([]index.CountyStats, error) { return r.inner.Counties(ctx) })
}

func (r *measuredReader) Distinct(ctx context.Context, w index.Filter, f index.Field) ([]string, error) {
	return timed(r.engine, "distinct", func() ([]string, error) { return r.inner.Distinct(ctx, w, f) })
}

func (r *measuredReader) Cells(ctx context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	return timed(r.engine, "cells", func() ([]index.Cell, error) { return r.inner.Cells(ctx, w, g) })
}
