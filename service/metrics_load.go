package service

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index/generation"
)

// lastLoad reports the load that runs or ran last, when it is asked.
type lastLoad struct {
	ask func(context.Context) (*generation.Run, error) // nil: there is nobody to ask
}

// loadMetric is one figure of a load.
type loadMetric struct {
	desc *prometheus.Desc
	of   func(*generation.Run) float64
}

func (*lastLoad) metrics() []loadMetric {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("filings_last_load_"+name, help, nil, nil)
	}
	return []loadMetric{
		{desc("started_timestamp_seconds", "When the last load began."), func(r *generation.Run) float64 { return unixSeconds(r.Started) }},
		{desc("seen_timestamp_seconds", "When the last load was last heard of; after its end, its end."), func(r *generation.Run) float64 { return unixSeconds(r.Renewed) }},
		{desc("duration_seconds", "From the begin of the last load to when it was last heard of."), func(r *generation.Run) float64 { return r.Renewed.Sub(r.Started).Seconds() }},
		{desc("promoted", "1 if the last load promoted its generation; 0 if it failed, died, or still runs."), func(r *generation.Run) float64 {
			if r.Outcome == generation.OutcomePromoted {
				return 1
			}
			return 0
		}},
		{desc("ended", "1 if the last load told how it ended; 0 if it still runs, or died."), func(r *generation.Run) float64 {
			if r.Outcome != "" {
				return 1
			}
			return 0
		}},
		{desc("records_read", "Records that the last load has read."), func(r *generation.Run) float64 { return float64(r.Read) }},
		{desc("records_indexed", "Filings that the last load has added or replaced."), func(r *generation.Run) float64 { return float64(r.Indexed) }},
		{desc("records_rejected", "Records that the last load has rejected."), func(r *generation.Run) float64 { return float64(r.Rejected) }},
	}
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func (l *lastLoad) Describe(to chan<- *prometheus.Desc) {
	for _, m := range l.metrics() {
		to <- m.desc
	}
}

func (l *lastLoad) Collect(to chan<- prometheus.Metric) {
	if l.ask == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	run, err := l.ask(ctx)
	if err != nil || run == nil {
		return // readiness tells of an engine that does not answer
	}
	for _, m := range l.metrics() {
		to <- prometheus.MustNewConstMetric(m.desc, prometheus.GaugeValue, m.of(run))
	}
}
