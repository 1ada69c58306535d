package service

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index"
	"filings/service/breaker"
)

// Guard returns an engine that answers as inner does, asks it a bounded number of questions at a time, and while it does
// not answer fails at once with index.ErrUnavailable (package breaker says when). It belongs beneath a cache, so that what
// memory answers counts for nothing, and only around an engine that answers clients: a load has patience of its own. Its
// state is a metric in registry, its changes are told to log, which may be nil.
func Guard(inner index.Engine, registry *prometheus.Registry, log *slog.Logger) (index.Engine, error) {
	e := &guarded{inner: inner}
	e.breaker = breaker.New(breaker.Config{Server: "the engine", Down: index.ErrUnavailable, Probe: e.probe, Log: log})
	return e, register(registry, breakerState("filings_engine_breaker_state", "engine", e.breaker.State))
}

// breakerState is the metric of a breaker.
func breakerState(name, server string, state func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name,
		Help: "Whether the " + server + " is asked: 0 it is, 1 it is tried again, 2 it is not, since it did not answer."},
		func() float64 { return float64(state()) })
}

type guarded struct {
	inner   index.Engine
	breaker *breaker.Breaker
}

// probe counts all filings: every shard has to answer, and none has to work for it.
func (e *guarded) probe(ctx context.Context) error {
	r, err := e.inner.Live(ctx)
	if err == nil {
		_, err = r.Count(ctx, nil)
	}
	return err
}

// Live is mostly answered from memory, so it can tell of an outage but not of its end.
func (e *guarded) Live(ctx context.Context) (index.Reader, error) {
	var r index.Reader
	err := e.breaker.Recall(ctx, func(ctx context.Context) (err error) {
		r, err = e.inner.Live(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &guardedReader{r, e.breaker}, nil
}

type guardedReader struct {
	inner   index.Reader
	breaker *breaker.Breaker
}

// behind runs f behind a breaker.
func behind[T any](ctx context.Context, b *breaker.Breaker, f func(context.Context) (T, error)) (T, error) {
	var v T
	err := b.Do(ctx, func(ctx context.Context) (err error) {
		v, err = f(ctx)
		return err
	})
	return v, err
}

func (r *guardedReader) Generation() string { return r.inner.Generation() }

func (r *guardedReader) Rows(ctx context.Context, q index.Query) ([]index.Record, error) {
	return behind(ctx, r.breaker, func(ctx context.Context) ([]index.Record, error) { return r.inner.Rows(ctx, q) })
}

func (r *guardedReader) Count(ctx context.Context, w index.Filter) (int64, error) {
	return behind(ctx, r.breaker, func(ctx context.Context) (int64, error) { return r.inner.Count(ctx, w) })
}

func (r *guardedReader) Filing(ctx context.Context, id int64) (index.Record, error) {
	return behind(ctx, r.breaker, func(ctx context.Context) (index.Record, error) { return r.inner.Filing(ctx, id) })
}

func (r *guardedReader) Stats(ctx context.Context) (index.Stats, error) {
	return behind(ctx, r.breaker, r.inner.Stats)
}

func (r *guardedReader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	return behind(ctx, r.breaker, r.inner.Counties)
}

func (r *guardedReader) Distinct(ctx context.Context, w index.Filter, f index.Field) ([]string, error) {
	return behind(ctx, r.breaker, func(ctx context.Context) ([]string, error) { return r.inner.Distinct(ctx, w, f) })
}

func (r *guardedReader) Cells(ctx context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	return behind(ctx, r.breaker, func(ctx context.Context) ([]index.Cell, error) { return r.inner.Cells(ctx, w, g) })
}
